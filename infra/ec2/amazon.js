/**
 * Calls Amazon's CloudFormation, EC2 and SSM in one region. AWS_ENDPOINT_URL names a substitute (moto in the tests). A substitute invents
 * public addresses that belong to others, so we then use only private ones.
 */
import { UserError } from '../../harness/common/failure.js';
import { parseRegion } from '../../harness/common/options.js';
import { load } from './sdk.js';

const SERVICES = { cloudformation: 'CloudFormation', ec2: 'EC2', ssm: 'SSM' };
/** @typedef {keyof typeof SERVICES} Service */

const ENDPOINT = process.env.AWS_ENDPOINT_URL;
/** Whether we call Amazon itself. */
export const IS_REAL = !ENDPOINT;

const SIGN_IN = 'sign in anew, such as with: aws sso login';
/** The remedy for an error of Amazon, by its name. @type {[RegExp, string][]} */
const REMEDIES = [
  [/CredentialsProviderError/, 'make them with `aws configure`, or name them with AWS_PROFILE (docs/ec2.md)'],
  [/ExpiredToken|RequestExpired|TokenRefresh|SSOToken/, SIGN_IN],
  [/UnauthorizedOperation|AccessDenied|AuthFailure|InvalidClientTokenId|SignatureDoesNotMatch/, 'these credentials may not do it; docs/ec2.md lists what they must be allowed'],
  [/Timeout|ECONN|ENOTFOUND|EAI_AGAIN|NetworkingError/, 'look at the network, or at AWS_ENDPOINT_URL'],
  [/LimitExceeded|Throttl/, 'raise the quota in the console of Service Quotas, or ask for less'],
];

/** An error answer from Amazon; `name` is its code. */
export class AmazonError extends UserError {
  /** @param {string} asked @param {any} error */
  constructor(asked, { name, code, message }) {
    const remedy = REMEDIES.find(([pattern]) => pattern.test(`${name} ${code}`))?.[1] ?? 'docs/ec2.md says what it is asked for; `./wscale ec2 list` shows what is there';
    super(`Amazon, asked to ${asked}: ${name}: ${String(message).split('\n')[0].replace(/\.$/, '')}; ${remedy}`);
    this.name = name;
  }
}

export class Amazon {
  /** @param {string} region @param {Record<Service, any>} sdks @param {Record<Service, any>} clients */
  constructor(region, sdks, clients) {
    this.region = region;
    this.sdks = sdks;
    this.clients = clients;
  }

  /** @param {string} [wanted] region; by default from the environment or the profile @returns {Promise<Amazon>} @throws {UserError} */
  static async connect(wanted) {
    const names = /** @type {Service[]} */ (Object.keys(SERVICES));
    const sdks = await Promise.all(names.map((name) => load(`@aws-sdk/client-${name}`)));
    const region = wanted ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
    const clients = names.map((name, index) => new sdks[index][`${SERVICES[name]}Client`]({
      ...(region && { region }), ...(ENDPOINT && { endpoint: ENDPOINT }), maxAttempts: 6,
    }));
    const byName = (/** @type {any[]} */ values) => /** @type {Record<Service, any>} */ (
      Object.fromEntries(names.map((name, index) => [name, values[index]]))
    );
    const found = await clients[0].config.region().catch(() => undefined);
    return new Amazon(parseRegion(found), byName(sdks), byName(clients));
  }

  /** @param {Service} service @param {string} command @param {object} [input] @returns {Promise<any>} @throws {AmazonError} */
  async ask(service, command, input = {}) {
    try {
      return await this.clients[service].send(new this.sdks[service][`${command}Command`](input));
    } catch (error) {
      throw new AmazonError(`${command} in ${this.region}`, error);
    }
  }

  /**
   * @param {Service} service @param {string} command @param {string} key of the list in the answer @param {object} [input]
   * @returns {Promise<any[]>} the items of all pages
   */
  async askAll(service, command, key, input = {}) {
    const items = [];
    for (let NextToken; ;) {
      const page = await this.ask(service, command, { ...input, NextToken });
      items.push(...(page[key] ?? []));
      if (!page.NextToken) return items;
      NextToken = page.NextToken;
    }
  }
}
