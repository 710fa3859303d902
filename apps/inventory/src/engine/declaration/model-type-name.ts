/** Returns true if a text has the form `<app>.<model>`. The model may contain digits, as in `vpn.l2vpn`. */
export function isTypeName(text: string): boolean {
  return /^[a-z]+\.[a-z][a-z0-9]*$/.test(text);
}
