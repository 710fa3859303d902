import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { isIPv4 } from 'node:net';

/**
 * DNS record of a host name: its IPv4 and IPv6 addresses, an alias, or a list of different addresses for successive
 * lookups.
 */
export type TestDnsRecord = readonly string[] | { readonly alias: string } | { readonly turns: readonly string[][] };

/** A DNS server that only one test uses. */
export interface TestDnsServer {
  /**
   * Host names that clients looked up, in lower case and in order. A lookup of another record type of a name is a
   * separate lookup.
   */
  readonly asked: string[];
  /** Looks up all addresses of a host name on this DNS server. Rejects if the name has no address. */
  resolve(this: void, host: string): Promise<string[]>;
  close(): Promise<void>;
}

const dnsRecordTypeNumbers = { A: 1, CNAME: 5, AAAA: 28 };
const dnsInternetClassNumber = 1;

/**
 * Starts a DNS server on a loopback address (RFC 1035, UDP). `zone` contains the records of the server by host name in
 * lower case.
 */
export async function startDnsServer(zone: Readonly<Record<string, TestDnsRecord>>): Promise<TestDnsServer> {
  const asked: string[] = [];
  const lookups = new Map<string, number>();
  const server = createSocket('udp4');
  server.on('message', (query, from) => {
    const { name, type, end } = parseDnsQuestion(query);
    asked.push(name);
    const turn = lookups.get(`${type} ${name}`) ?? 0;
    lookups.set(`${type} ${name}`, turn + 1);
    const records = findDnsRecords(zone, name, type, turn);
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(records === null ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records?.length ?? 0, 6);
    server.send(Buffer.concat([header, query.subarray(12, end), ...(records ?? [])]), from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  return {
    asked,
    resolve: async (host) => {
      const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      if (addresses.length === 0) throw new Error(`no address of ${host} is known`);
      return addresses;
    },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** Returns the first question of a DNS query, and the byte offset after the question. */
function parseDnsQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/**
 * Returns the DNS records of a name, including the records of the name's alias. Returns null for a name that does not
 * exist.
 */
function findDnsRecords(
  zone: Readonly<Record<string, TestDnsRecord>>,
  name: string,
  type: number,
  turn: number,
): Buffer[] | null {
  const record = zone[name];
  if (record === undefined) return null;
  if ('alias' in record) {
    const alias = encodeResourceRecord(name, dnsRecordTypeNumbers.CNAME, encodeDnsName(record.alias));
    return [alias, ...(findDnsRecords(zone, record.alias, type, turn) ?? [])];
  }
  const addresses = 'turns' in record ? (record.turns[Math.min(turn, record.turns.length - 1)] ?? []) : record;
  return addresses
    .filter((address) => type === (isIPv4(address) ? dnsRecordTypeNumbers.A : dnsRecordTypeNumbers.AAAA))
    .map((address) => encodeResourceRecord(name, type, encodeIpAddress(address)));
}

function encodeResourceRecord(name: string, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10); // Type, class, a time to live of 0, length.
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(dnsInternetClassNumber, 2);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeDnsName(name), fields, data]);
}

function encodeDnsName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`${String.fromCodePoint(label.length)}${label}`, 'latin1'));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function encodeIpAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = [], tail = []] = canonical.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
