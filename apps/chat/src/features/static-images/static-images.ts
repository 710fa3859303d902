/** An image that the service itself provides. */
interface StaticImage {
  readonly contentType: string;
  readonly content: Buffer;
}

/** Returns the SVG of the default logo for organizations: two switches and the name of the service. */
function createDefaultLogoImage(color: string): StaticImage {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="180" height="32" viewBox="0 0 180 32" role="img" aria-label="Switchboard">' +
    '<rect x="1" y="4" width="24" height="10" rx="5" fill="#3d7eff"/><circle cx="20" cy="9" r="3.5" fill="#fff"/>' +
    '<rect x="1" y="18" width="24" height="10" rx="5" fill="#8b97a8"/><circle cx="6" cy="23" r="3.5" fill="#fff"/>' +
    `<text x="34" y="22" font-family="system-ui,sans-serif" font-size="18" font-weight="600" fill="${color}">` +
    'Switchboard</text></svg>\n';
  return { contentType: 'image/svg+xml; charset=utf-8', content: Buffer.from(svg) };
}

/** Default avatar: a palette PNG of 100 × 100 pixels with a grey silhouette. */
const defaultAvatarImage =
  'iVBORw0KGgoAAAANSUhEUgAAAGQAAABkBAMAAACCzIhnAAAAMFBMVEXJztb09vjy9PbQ1dzt7/Lz9fjc4OXY3eLV2d/q7PDv8fTg4+jm6ezKz9' +
  'fL0NjKz9Y1xuXoAAAACXBIWXMAAAsTAAALEwEAmpwYAAABwElEQVRYw+3WOy8EURQH8Illd8UrZ8xgUJjI6shGRILGRiIKhdmG0qu3CpWGQiFR' +
  '2CgUKES3lY1CdCQaneh04hPsRyDI7t7nOffGNsy/nl9m7jnn3juOEydOnL+aycdMfnHDAHRuwlfm36iiYx1+MvJMJBNQzRxNpMMacfdIZAfqsk' +
  'x6SVRPfMprxoHJMKFcOZYEeNGSwGUVJe88GUPJGk96UJLjiYeJBAjJmq4eX3+7SO4R0iySWYQ0iWQIIS0iWfp9YvFhFsu3KLJFKy0GxmIsbYbf' +
  'YotZbGThuKg04lCyOfosDlibY9yZqpET8yup4jTs4rO5Xv95ErtPpUy+dH6bpYK76sS4ZyQ0w2wY7wYXRxG3K0+xoTkUD6UF8hATxzkZyoi7pa' +
  'lVEaQJ1HWbBkWuVCIVqohbUJBtUKaXchqx8eWvOQBNVqTlCnXElRXtFbS5kJCyngxIvivSE1/8slZAcmzSFEVrunIY6ef3TQrQFPAfEezHZB8n' +
  '3WZdkXXmEifc+tNACHsJtlHItVnvxf6/UMioaY0B+swmTJyyMoWwjXmgkEGGFCkk0P9RyuKZzsvnxDAkpBCXIRGF+N/PfgC2mqnbOy/d3QAAAA' +
  'BJRU5ErkJggg==';

/**
 * Map from the path below /static/images/ to the image that the service provides. Clients get the URL of such an image
 * if no picture was uploaded.
 */
export const staticImagesByPath: ReadonlyMap<string, StaticImage> = new Map([
  ['logo/logo.svg', createDefaultLogoImage('#1f2733')],
  ['logo/logo-night.svg', createDefaultLogoImage('#f4f6f8')],
  ['unknown-user-avatar.png', { contentType: 'image/png', content: Buffer.from(defaultAvatarImage, 'base64') }],
]);
