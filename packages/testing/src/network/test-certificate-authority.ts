import { isIP } from 'node:net';
import { generate } from 'selfsigned';

/** A TLS certificate and its private key, in PEM form. */
export interface IssuedTlsCertificate {
  readonly cert: string;
  readonly key: string;
}

const millisecondsPerDay = 86_400_000;

/** A TLS certificate authority for a test, created when the test runs. No client trusts the authority by default. */
export class TestCertificateAuthority {
  readonly #key: string;

  private constructor(
    /** Certificate of the certificate authority itself, in PEM form. */
    readonly cert: string,
    key: string,
  ) {
    this.#key = key;
  }

  static async create(): Promise<TestCertificateAuthority> {
    const made = await generate([{ name: 'commonName', value: 'Test authority' }], {
      ...testKeyAlgorithm,
      notAfterDate: new Date(Date.now() + millisecondsPerDay),
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
    return new TestCertificateAuthority(made.cert, made.private);
  }

  /**
   * Issues a TLS certificate for host names and addresses. The certificate is valid for a day. With `expired`, the
   * certificate expired a day ago.
   */
  async issueCertificate(names: readonly string[], { expired = false } = {}): Promise<IssuedTlsCertificate> {
    const now = Date.now();
    const made = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
      ...testKeyAlgorithm,
      ca: { cert: this.cert, key: this.#key },
      notBeforeDate: new Date(now - 2 * millisecondsPerDay),
      notAfterDate: new Date(expired ? now - millisecondsPerDay : now + millisecondsPerDay),
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'extKeyUsage', serverAuth: true },
        {
          name: 'subjectAltName',
          altNames: names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name })),
        },
      ],
    });
    return { cert: made.cert, key: made.private };
  }
}

const testKeyAlgorithm = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
