import type { TestDnsRecord } from './dns-server.js';

/** A URL to which clients must not connect, because the address is forbidden or the host has no address. */
export interface RefusedUrl {
  /** Description of the way in which the URL names the address, such as `decimal IPv4`. */
  readonly how: string;
  /** URL for the test. `{port}` in the URL is replaced by a port with a listening server. */
  readonly url: string;
  /** Failure that the client must report for the URL, see `@switchboard/outbound`. */
  readonly failure: 'address_refused' | 'url_refused';
}

const refusedUrlsByAddress: Readonly<Record<string, readonly string[]>> = {
  'dotted loopback': ['127.0.0.1', '127.0.0.1.', '127.255.255.254', '127.8.8.8'],
  'short forms': ['127.1', '127.0.1', '127.1.', '192.168.257', '10.1', '0', '169.254.43518'],
  decimal: ['2130706433', '2852039166', '167772161', '3232235521'],
  octal: ['0177.0.0.1', '017700000001', '0000177.00.000.01', '0251.0376.0251.0376', '012.0.0.1'],
  hexadecimal: ['0x7f.0.0.1', '0x7f000001', '0X7F.0X0.0.1', '0x7f.1', '0xa9fea9fe', '0xc0.0xa8.0.1', '0x'],
  'bases mixed': ['0x7f.0.0.01', '127.0x0.00.1', '0300.168.0x0.1'],
  'digits of other scripts': ['①②⑦.⓪.⓪.①', '１２７.０.０.１', '𝟏𝟐𝟕.𝟎.𝟎.𝟏', '¹²⁷.⁰.⁰.¹'],
  'dots of other scripts': ['127。0。0。1', '127．0．0．1', '127｡0｡0｡1'],
  'letters nobody sees': ['127.0.0.\u{ad}1', '127.0.\u{200b}0.1', '127.0.\t0.1', '127.0.\n0.1', '\u{2060}127.0.0.1'],
  'percent encoding': ['%31%32%37.0.0.1', '127%2e0%2e0%2e1', '%6c%6f%63%61%6c%68%6f%73%74', '%EF%BC%91%32%37.0.0.1'],
  'IPv6 loopback and unspecified': ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]', '[::]', '0.0.0.0'],
  'IPv4-mapped': ['[::ffff:127.0.0.1]', '[::FFFF:7f00:1]', '[0:0:0:0:0:ffff:a9fe:a9fe]', '[::ffff:10.0.0.1]'],
  'IPv4-translated and -compatible': ['[::ffff:0:127.0.0.1]', '[::127.0.0.1]', '[::a00:1]'],
  NAT64: ['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::127.0.0.1]', '[64:ff9b::c0a8:1]'],
  '6to4 and Teredo': ['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2002:c0a8:101::1]', '[2001:0:7f00:1::1]'],
  metadata: ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192', '[fd00:ec2::254]'],
  'link-local': ['169.254.1.1', '[fe80::1]', '[febf::1]', '[fec0::1]'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '100.64.0.1', '[fc00::1]', '[fd12::1]'],
  'ranges for nobody': [
    '224.0.0.1',
    '[ff02::1]',
    '255.255.255.255',
    '240.0.0.1',
    '198.18.0.1',
    '192.0.2.1',
    '[100::1]',
  ],
};

/**
 * Host names for the test's DNS server, each with its DNS record. At least one address of every host name is forbidden.
 */
export const refusedHostNames: Readonly<Record<string, TestDnsRecord>> = {
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'unspecified.test': ['0.0.0.0'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'nat64.test': ['64:ff9b::7f00:1'],
  'sixtofour.test': ['2002:7f00:1::'],
  'metadata.test': ['169.254.169.254'],
  'metadata6.test': ['fd00:ec2::254'],
  'private.test': ['192.168.1.1'],
  'unique-local.test': ['fd12::1'],
  'carrier.test': ['100.64.0.1'],
  'link-local.test': ['fe80::1'],
  'alias.test': { alias: 'loopback.test' },
  'alias-of-alias.test': { alias: 'alias.test' },
  'last-of-two.test': ['1.1.1.1', '127.0.0.1'],
  'first-of-two.test': ['10.0.0.1', '1.1.1.1'],
  'other-family.test': ['1.1.1.1', '::1'],
  'last-of-ten.test': [
    '1.1.1.1',
    '1.0.0.1',
    ...[1, 2, 3, 4, 5, 6, 7].map((last) => `8.8.4.${last}`),
    '169.254.169.254',
  ],
  '127.0.0.1.nip.test': ['127.0.0.1'],
  'xn--bcher-kva.test': ['127.0.0.1'],
  '0x7f.test': ['127.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
};

const refusedUrlsByHostName = [
  ...Object.keys(refusedHostNames),
  'LOOPBACK.TEST',
  'loopback.test.',
  'LocalHost.',
  'bücher.test',
  'ｌoopback.test',
];

const unusualLoopbackUrls = [
  'http:127.0.0.1:{port}/',
  'http:/127.0.0.1:{port}/',
  'http:\\\\127.0.0.1:{port}\\',
  'http:////127.0.0.1:{port}/',
  'HtTp://127.0.0.1:{port}/',
  ' \u{1}http://127.0.0.1:{port}/',
  'ht\ttp://127.0.0.1:{port}/',
  'http://127.0.0.1:{port}\\@example.com/',
  'http://127.0.0.1:{port}#@example.com/',
  'http://127.0.0.1:{port}?@example.com/',
  'http://127.0.0.1:000{port}/',
  'http://@127.0.0.1:{port}/',
  'http://:@127.0.0.1:{port}/',
  'https://127.0.0.1:{port}/',
  'https://0x7f.1:{port}/',
  'https://[::ffff:7f00:1]:{port}/',
  'https://loopback.test:{port}/',
];

const loopbackUrlsWithUserinfo = [
  'http://example.com@127.0.0.1:{port}/',
  'http://example.com:80@127.0.0.1:{port}/',
  'http://127.0.0.1:{port}@example.com/',
  'http://example.com%2f@127.0.0.1:{port}/',
  'http://example.com%00@127.0.0.1:{port}/',
  'http://example.com@example.com@127.0.0.1:{port}/',
  'http://:secret@127.0.0.1:{port}/',
];

const unparsableUrls = [
  'http://127.0.0.256:{port}/',
  'http://4294967296:{port}/',
  'http://0x100000000:{port}/',
  'http://127.0.0.0.1:{port}/',
  'http://08.0.0.1:{port}/',
  'http://[fe80::1%25lo]:{port}/',
  'http://[::1%lo]:{port}/',
  'http://[127.0.0.1]:{port}/',
  'http://[::1]x:{port}/',
  'http://127.0.0.1:{port}x/',
  'http://127.0.0.1:99999/',
  'http://127.0.0.1 :{port}/',
  'http://127.0.0.1%00:{port}/',
  'http://127.0.0.1%0d%0aX:{port}/',
  'http://loop^back.test/',
  'http://',
  '//127.0.0.1:{port}/',
  '127.0.0.1:{port}',
  '',
];

const urlsWithUnsupportedSchemes = [
  'ftp://127.0.0.1:{port}/',
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'gopher://127.0.0.1:{port}/_GET',
  'dict://127.0.0.1:{port}/stats',
  'ldap://127.0.0.1:{port}/',
  'ws://127.0.0.1:{port}/',
  'unix:/var/run/docker.sock',
  'http+unix://%2fvar%2frun%2fdocker.sock/',
  'data:text/plain,hello',
  'javascript:fetch("http://127.0.0.1:{port}/")',
  'blob:http://127.0.0.1:{port}/id',
  'view-source:http://127.0.0.1:{port}/',
  'jar:http://127.0.0.1:{port}!/',
];

/**
 * All known ways to name a forbidden address in a URL. Test suites of clients that must not connect to forbidden
 * addresses use these URLs for their test cases.
 */
export const refusedUrls: readonly RefusedUrl[] = [
  ...Object.entries(refusedUrlsByAddress).flatMap(([how, hosts]) =>
    createRefusedUrls(how, 'address_refused', hosts.map(createUrlTemplateOfHost)),
  ),
  ...createRefusedUrls('a name', 'address_refused', refusedUrlsByHostName.map(createUrlTemplateOfHost)),
  ...createRefusedUrls('the URL written oddly', 'address_refused', unusualLoopbackUrls),
  ...createRefusedUrls('user information', 'url_refused', loopbackUrlsWithUserinfo),
  ...createRefusedUrls('no URL', 'url_refused', unparsableUrls),
  ...createRefusedUrls('another scheme', 'url_refused', urlsWithUnsupportedSchemes),
];

function createUrlTemplateOfHost(host: string): string {
  return `http://${host}:{port}/`;
}

function createRefusedUrls(how: string, failure: RefusedUrl['failure'], urls: readonly string[]): RefusedUrl[] {
  return urls.map((url) => ({ how, url, failure }));
}
