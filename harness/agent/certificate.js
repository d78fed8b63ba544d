/** A certificate for the server of one trial, deleted with it. No key is ever in the tree. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Self-signed, on an elliptic curve, as on most sites. @param {string} folder for `tls` @param {string} address of the server */
export function makeCertificate(folder, address) {
  const out = join(folder, 'tls');
  mkdirSync(out);
  const [key, cert] = [join(out, 'key.pem'), join(out, 'cert.pem')];
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', '/CN=wscale', '-addext', `subjectAltName=IP:${address}`, '-keyout', key, '-out', cert,
  ], { stdio: ['ignore', 'ignore', 'pipe'] });
  return { path: cert, pem: readFileSync(cert, 'utf8') };
}
