/** Under this token Nest hands out the open shop. */
export const SHOP = Symbol('shop');
