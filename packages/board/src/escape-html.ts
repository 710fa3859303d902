const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns a text as HTML, for content and for quoted attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => replacements[found] ?? '');
