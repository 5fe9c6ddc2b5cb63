import { JSON_LIMITS, type JsonLimits } from '../schema/json-bounds.ts'

/** Size limits for requests. */
export interface RequestLimits extends JsonLimits {
  /** The maximum size of a JSON body in bytes. @default 1 MiB */
  readonly body?: number
  /** The maximum length of a request target in characters. @default 8192 */
  readonly target?: number
  /**
   * The maximum total size of the rows in a page, in bytes. If the rows exceed it, the page ends early, but it always
   * has at least one row.
   * @default 4 MiB
   */
  readonly page?: number
}

/** The default request limits. */
export const REQUEST_LIMITS: Required<RequestLimits> = {
  body: 1_048_576,
  target: 8_192,
  page: 4_194_304,
  ...JSON_LIMITS,
}

const { POSITIVE_INFINITY: ANY } = Number

/** Unlimited sizes for nested requests from handlers, whose values are trusted. */
export const NO_LIMITS: Required<Omit<RequestLimits, 'page'>> = { body: ANY, target: ANY, objects: ANY, values: ANY }
