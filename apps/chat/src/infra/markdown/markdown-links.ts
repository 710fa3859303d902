import type { Token } from 'markdown-it';

/**
 * Regular expression of the URL schemes that links may have. Schemes that can run scripts, such as `javascript:`, are
 * excluded.
 */
const allowedLinkUrlSchemePattern = /^(?:https?|ftps?|mailto|tel|sms|xmpp|ircs?|matrix|news|geo|webcal):/i;

const uploadsPath = '/user_uploads/';

/** Returns true if the target URL of a link is safe: the URL has a permitted scheme, or refers to this server. */
export function isSafeLink(url: string): boolean {
  const target = url.trim().toLowerCase();
  return allowedLinkUrlSchemePattern.test(target) || /^(?:\/(?![/\\])|#|\?)/.test(target);
}

/** Removes the origin of this server from the URL of a link, so that the link works under every host name. */
export function removeServerOriginFromLink(url: string, origins: readonly string[]): string {
  const origin = origins.find((own) => url.startsWith(`${own}/`));
  return origin === undefined ? url : url.slice(origin.length);
}

/** Returns true for the URL of an uploaded file. */
export function isUploadLink(url: string): boolean {
  return url.startsWith(uploadsPath);
}

/** Returns the file name at the end of the URL of a link. */
export function getFileNameOfLink(url: string): string {
  const name = url.slice(url.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Replaces links without a target, such as `[text]()`, by the text of the link. */
export function removeEmptyLinks(tokens: readonly Token[]): Token[] {
  let isEmpty = false;
  return tokens.filter((token) => {
    if (token.type === 'link_open') isEmpty = token.attrGet('href') === '';
    return !isEmpty || (token.type !== 'link_open' && token.type !== 'link_close');
  });
}

/** Lists the target URLs of a message's links, in the order of the message. */
export function listLinkUrlsOfMessage(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    const href = token.type === 'link_open' ? token.attrGet('href') : null;
    return [...(href === null ? [] : [String(href)]), ...listLinkUrlsOfMessage(token.children ?? [])];
  });
}
