import type { HostileRequest, HostileSubject } from '../hostile-request.js';
import { numbers } from './list-hostile-calls.js';

const formBoundary = 'boundary-of-the-parts';

/** Encodes form fields and one picture file as a multipart form. */
function pictureForm(
  fields: Readonly<Record<string, string>>,
  picture: Buffer,
  head = 'name="image"; filename="a.png"',
): Buffer {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${formBoundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const last = `--${formBoundary}\r\nContent-Disposition: form-data; ${head}\r\nContent-Type: image/png\r\n\r\n`;
  return Buffer.concat([Buffer.from(parts.join('') + last), picture, Buffer.from(`\r\n--${formBoundary}--\r\n`)]);
}

/** Returns a multipart form that repeats one field with `count` small picture files. */
function manyPictures(count: number): Buffer {
  const one = `--${formBoundary}\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\nx\r\n`;
  return Buffer.from(`${one.repeat(count)}--${formBoundary}--\r\n`);
}

const imageAttachment = { object_type: 'dcim.site', object_id: '1', name: 'x' };

/** Returns the header of a PNG image of the given size in pixels. */
function pngHead(width: number, height: number): Buffer {
  const head = Buffer.alloc(33);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(head);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  head.set([8, 6, 0, 0, 0], 24);
  return head;
}

function upload(title: string, body: Buffer, statuses: readonly number[] = [400, 413]): HostileRequest {
  const headers = { 'content-type': `multipart/form-data; boundary=${formBoundary}` };
  return { title, statuses, calls: () => [{ method: 'POST', path: 'extras/image-attachments/', headers, body }] };
}

/** Hostile requests to the inventory that upload pictures in multipart forms. */
export const uploads: HostileSubject = {
  subject: 'uploads',
  requests: [
    upload(
      'a picture of four thousand million pixels',
      pictureForm(imageAttachment, pngHead(65_535, 65_535)),
      [201, 400, 413],
    ),
    upload(
      'a picture of random bytes',
      pictureForm(imageAttachment, Buffer.from(numbers(300_000).map((n) => (n * 7) % 251))),
    ),
    upload('thousands of pictures of one name', manyPictures(20_000)),
    upload(
      'a form of tens of thousands of fields',
      pictureForm(
        { ...imageAttachment, ...Object.fromEntries(numbers(30_000).map((n) => [`f${n}`, 'x'])) },
        pngHead(1, 1),
      ),
      [201, 400, 413],
    ),
    upload(
      'a file name of a million characters',
      pictureForm(imageAttachment, pngHead(1, 1), `name="image"; filename="${'a'.repeat(1_000_000)}.png"`),
      [201, 400, 413],
    ),
    upload('a form without its end', pictureForm(imageAttachment, Buffer.alloc(500_000)).subarray(0, 400_000)),
    upload(
      'a picture whose segments have no length',
      pictureForm(imageAttachment, Buffer.from('ffd8'.concat('ffe00000'.repeat(200_000)), 'hex')),
    ),
  ],
};
