/**
 * Caches the rendered texts of an event, so that each text is rendered once for many event queues. A message to
 * thousands of users has few different texts.
 */
export class RenderedEventCache<P extends object, V> {
  readonly #byPayload = new WeakMap<P, Map<string, V>>();

  /** @param key Text of all properties that the form depends on. */
  getOrRender(payload: P, key: string, make: () => V): V {
    let forms = this.#byPayload.get(payload);
    if (forms === undefined) {
      forms = new Map();
      this.#byPayload.set(payload, forms);
    }
    const known = forms.get(key);
    if (known !== undefined) return known;
    const made = make();
    forms.set(key, made);
    return made;
  }
}
