/** Injection token of the open shop. */
export const SHOP = Symbol('shop');
