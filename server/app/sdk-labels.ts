interface SdkLabel {
  sdk: string;
  version: string;
}

const ownSdk = "@intake/client";
const ownMax = 10;
const othersMax = 40;
const lengthMax = 64;
const pattern = /^(@?[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)?)\/([A-Za-z0-9][\w.+-]*)$/;

const other: SdkLabel = { sdk: "other", version: "other" };
const invalid: SdkLabel = { sdk: "invalid", version: "invalid" };

/** Labels of a metric, made of names that apps send: limited in number and length, and of harmless characters. */
export class SdkLabels {
  readonly #labels = new Map<string, SdkLabel>();
  #ownCount = 0;

  /**
   * The label of a product. A new product is remembered only from requests with a valid credential. That stops scanners
   * but not everybody, because an SDK key is public: Intake's own SDK therefore has places that no other name takes,
   * and keeps its name when it has too many versions.
   */
  of(header: string, authenticated: boolean): SdkLabel {
    const end = header.indexOf(";");
    const product = end < 0 ? header : header.slice(0, end).trimEnd();
    return this.#labels.get(product) ?? this.#learn(product, authenticated);
  }

  #learn(product: string, authenticated: boolean): SdkLabel {
    if (product.length > lengthMax) return invalid;
    const [, sdk, version] = pattern.exec(product) ?? [];
    if (sdk === undefined || version === undefined) return invalid;
    if (!authenticated) return other;
    const isOwn = sdk === ownSdk;
    if (isOwn && this.#ownCount === ownMax) return { sdk, version: "other" };
    if (!isOwn && this.#labels.size - this.#ownCount === othersMax) return other;
    if (isOwn) this.#ownCount++;
    const label = { sdk, version };
    this.#labels.set(product, label);
    return label;
  }
}
