/** Size of the blocks of a tar archive in bytes. */
const tarBlockBytes = 512;

/** Maximum length in bytes of a file name in a plain tar header. */
const maxTarFileNameBytes = 100;

/** A file in a tar archive: its path, the size of its content in bytes, and its time in UNIX seconds. */
export interface TarEntry {
  readonly name: string;
  readonly size: number;
  readonly modifiedAt: number;
}

/**
 * Returns the tar header (POSIX.1-2001) that precedes the content of a file. A file name that is long or contains
 * non-ASCII characters gets an extended header.
 */
export function createTarHeader({ name, size, modifiedAt }: TarEntry): Buffer {
  const isPlain = Buffer.byteLength(name) <= maxTarFileNameBytes && /^[ -~]*$/.test(name);
  if (isPlain) return createTarHeaderBlock({ name, size, modifiedAt }, '0');
  const record = Buffer.from(createExtendedHeaderRecord('path', name));
  const extended = createTarHeaderBlock({ name: 'extended-header', size: record.length, modifiedAt }, 'x');
  const short = { name: `extended-${size}`, size, modifiedAt };
  return Buffer.concat([extended, record, createTarPadding(record.length), createTarHeaderBlock(short, '0')]);
}

/** Returns the zero bytes that pad content of the given size to a whole number of tar blocks. */
export function createTarPadding(size: number): Buffer {
  return Buffer.alloc((tarBlockBytes - (size % tarBlockBytes)) % tarBlockBytes);
}

/** Returns the blocks that end a tar archive. */
export function tarEndBlocks(): Buffer {
  return Buffer.alloc(2 * tarBlockBytes);
}

function createTarHeaderBlock({ name, size, modifiedAt }: TarEntry, type: string): Buffer {
  const block = Buffer.alloc(tarBlockBytes);
  block.write(name, 0, maxTarFileNameBytes, 'utf8');
  writeTarOctal(block, 100, 8, 0o644);
  writeTarOctal(block, 108, 8, 0);
  writeTarOctal(block, 116, 8, 0);
  writeTarOctal(block, 124, 12, size);
  writeTarOctal(block, 136, 12, Math.floor(modifiedAt));
  block.write(type, 156, 'ascii');
  block.write('ustar\u000000', 257, 'latin1');
  // The checksum counts its own field as spaces.
  block.fill(' ', 148, 156);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'latin1');
  return block;
}

/**
 * Writes a number into a tar header in octal digits. Sizes of 8 GiB and more are written in base 256, as GNU tar does.
 */
function writeTarOctal(block: Buffer, offset: number, length: number, value: number): void {
  const digits = value.toString(8);
  if (digits.length < length) {
    block.write(`${digits.padStart(length - 1, '0')}\u0000`, offset, 'latin1');
    return;
  }
  block.writeBigUInt64BE(BigInt(value), offset + length - 8);
  block[offset] = 0x80;
}

/** Returns a record of an extended tar header: the record's length in decimal digits, a key and a value. */
function createExtendedHeaderRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const restBytes = Buffer.byteLength(rest);
  let length = restBytes;
  while (length !== restBytes + String(length).length) length = restBytes + String(length).length;
  return `${length}${rest}`;
}
