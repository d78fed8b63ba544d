/** Loads packages of infra/ec2/package.json. Only the targets ec2-* install them, so the rest of the suite has no types of them. */
import { UserError } from '../../harness/common/failure.js';

/** @param {string} name of a package @returns {Promise<any>} */
export async function load(name) {
  try {
    return await import(name);
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UserError(`infra/ec2: ${name} is not installed; run this by ./wscale, such as ./wscale ec2 list`);
  }
}
