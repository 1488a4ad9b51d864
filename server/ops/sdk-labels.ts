export interface SdkLabel {
  sdk: string;
  version: string;
}

const distinctMax = 50;
const lengthMax = 64;
const pattern = /^(@?[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)?)\/([A-Za-z0-9][\w.+-]*)$/;

const other: SdkLabel = { sdk: "other", version: "other" };
const invalid: SdkLabel = { sdk: "invalid", version: "invalid" };

/** Labels of a metric out of what strangers send: bounded in number and length, and of harmless characters. */
export class SdkLabels {
  readonly #labels = new Map<string, SdkLabel>();

  /** A new one is learnt from requests with a valid credential only, or anybody could use up the room. */
  of(header: string, known: boolean): SdkLabel {
    const end = header.indexOf(";");
    const product = end < 0 ? header : header.slice(0, end).trimEnd();
    return this.#labels.get(product) ?? this.#learn(product, known);
  }

  #learn(product: string, known: boolean): SdkLabel {
    if (product.length > lengthMax) return invalid;
    const [, sdk, version] = pattern.exec(product) ?? [];
    if (sdk === undefined || version === undefined) return invalid;
    if (!known || this.#labels.size === distinctMax) return other;
    const label = { sdk, version };
    this.#labels.set(product, label);
    return label;
  }
}
