import type { MarkdownIt, Token } from 'markdown-it';
import { createReferencePlaceholderToken } from './unresolved-references.js';
import { getFileNameOfLink, isUploadLink } from './markdown-links.js';
import type { ResolvedMessageReferences, UploadedMedia } from './resolved-names.js';
import {
  createBlockElementTokens,
  createElementTokens,
  createLinkTokens,
  createStartTagToken,
} from './create-markdown-tokens.js';

/** Maximum number of previews of linked files that one message shows. */
const maxPreviewsPerMessage = 24;

/**
 * Adds the Markdown rule for `![title](path)` (docs/contract/chat.md 5.9). For uploaded files, the result is an
 * unresolved reference, because the file must be looked up. For other targets, the result is a link.
 */
export function addImageSyntaxRule(markdown: MarkdownIt): void {
  markdown.core.ruler.push('chat_images', (state) => {
    for (const token of state.tokens) {
      token.children =
        token.children?.flatMap((child) => (child.type === 'image' ? createImageSyntaxTokens(child) : [child])) ?? null;
    }
  });
}

function createImageSyntaxTokens(image: Token): Token[] {
  const path = String(image.attrGet('src') ?? '');
  if (isUploadLink(path)) return [createReferencePlaceholderToken({ kind: 'media', path, title: image.content })];
  return createLinkTokens(path, image.content || path);
}

/**
 * Returns the markdown-it tokens that show an uploaded image or sound inline. Returns undefined for file types that are
 * shown only as previews below links.
 */
export function createInlineMediaTokens(path: string, title: string, media: UploadedMedia): Token[] | undefined {
  if (media.kind === 'audio') {
    const attributes = { controls: '', preload: 'metadata', src: path, title: title || getFileNameOfLink(path) };
    return createElementTokens('audio', attributes);
  }
  if (media.kind !== 'image') return undefined;
  return [
    createStartTagToken('img', {
      alt: title,
      class: 'inline-image',
      ...getOriginalImageAttributes(media),
      'data-original-src': path,
      src: media.thumbnailUrl,
    }),
  ];
}

/**
 * Adds previews of linked files below the paragraphs of a message that contain the links. Links in quotes get no
 * previews.
 */
export function addMediaPreviews(tokens: readonly Token[], names: ResolvedMessageReferences): Token[] {
  if (names.uploads.size === 0) return [...tokens];
  let left = maxPreviewsPerMessage;
  let quotes = 0;
  let pending: Token[] = [];
  return tokens.flatMap((token) => {
    if (token.tag === 'blockquote') quotes += token.nesting;
    if (token.type === 'inline' && quotes === 0) {
      const previews = createMediaPreviewTokens(token.children ?? [], names).slice(0, left);
      left -= previews.length;
      pending = previews.flat();
    }
    if (token.type !== 'paragraph_close') return [token];
    const below = pending;
    pending = [];
    return [token, ...below];
  });
}

function createMediaPreviewTokens(children: readonly Token[], names: ResolvedMessageReferences): Token[][] {
  return children.flatMap((token, index) => {
    const path = token.type === 'link_open' ? String(token.attrGet('href')) : '';
    const media = names.uploads.get(path);
    const label = children[index + 1]?.type === 'text' ? (children[index + 1]?.content ?? '') : '';
    const preview =
      media &&
      createSingleMediaPreviewTokens(path, label === path || label === '' ? getFileNameOfLink(path) : label, media);
    return preview === undefined ? [] : [preview];
  });
}

function createSingleMediaPreviewTokens(path: string, title: string, media: UploadedMedia): Token[] | undefined {
  if (media.kind === 'audio') return undefined;
  const shown =
    media.kind === 'image'
      ? [createStartTagToken('img', { ...getOriginalImageAttributes(media), src: media.thumbnailUrl })]
      : createElementTokens('video', { preload: 'metadata', src: path });
  const className = media.kind === 'image' ? 'message_inline_image' : 'message_inline_image message_inline_video';
  return createBlockElementTokens(
    'div',
    { class: className },
    ...createElementTokens('a', { href: path, title }, ...shown),
  );
}

function getOriginalImageAttributes(image: Extract<UploadedMedia, { kind: 'image' }>) {
  return {
    'data-original-dimensions': `${image.width}x${image.height}`,
    'data-original-content-type': image.contentType,
  };
}
