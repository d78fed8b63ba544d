/** A certificate for the loopback address, made by OpenSSL, for servers other than truth-server. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const NO_OPENSSL = 'openssl is not installed; apt-get install openssl';

/**
 * @param {string} folder
 * @returns {{certificate: string, key: string} | undefined} paths; undefined if openssl is not installed
 */
export function makeCertificate(folder) {
  const [certificate, key] = [join(folder, 'peer.pem'), join(folder, 'peer.key')];
  const subject = ['-subj', '/CN=peer', '-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=critical,CA:FALSE'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    execFileSync('openssl', ['req', '-x509', ...curve, '-days', '2', ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
  return { certificate, key };
}
