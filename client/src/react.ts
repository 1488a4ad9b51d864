import { Component, type ErrorInfo, type ReactNode } from "react";
import type { IngestClient } from "./ingest.ts";
import { thrown } from "./reports/exception.ts";

/** Properties of a {@link ReportBoundary}. */
export interface ReportBoundaryProps {
  /** The client that captures the errors. */
  client: Pick<IngestClient, "capture">;
  /** What is shown instead of the children once one of them has failed; `reset` renders the children again. Default: nothing. */
  fallback?: ReactNode | ((error: unknown, reset: () => void) => ReactNode);
  /** Called with the error and the id of its report. */
  onCaptured?: ((error: unknown, reportId: string) => void) | undefined;
  children?: ReactNode;
}

/**
 * Captures errors that components below it throw while they render, as reports of the type `crash` with the stack of
 * components in `contexts.react`.
 *
 * ```tsx
 * <ReportBoundary client={reports} fallback={<p>Something went wrong.</p>}>
 *   <Cart />
 * </ReportBoundary>
 * ```
 */
export class ReportBoundary extends Component<ReportBoundaryProps, { failed?: { error: unknown } | undefined }> {
  override state: { failed?: { error: unknown } | undefined } = {};

  static getDerivedStateFromError(error: unknown) {
    return { failed: { error } };
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo) {
    const { client, onCaptured } = this.props;
    const contexts = { react: { componentStack: componentStack?.slice(0, 8_000) } };
    onCaptured?.(error, client.capture({ exception: thrown(error), type: "crash", contexts }));
  }

  override render(): ReactNode {
    const { failed } = this.state;
    const { fallback, children } = this.props;
    if (!failed) return children;
    return typeof fallback === "function"
      ? fallback(failed.error, () => this.setState({ failed: undefined }))
      : fallback;
  }
}
