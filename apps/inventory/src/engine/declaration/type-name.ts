/** Whether a text could name a type, as `<app>.<model>`: a digit may be part of it, as in `vpn.l2vpn`. */
export function isTypeName(text: string): boolean {
  return /^[a-z]+\.[a-z][a-z0-9]*$/.test(text);
}
