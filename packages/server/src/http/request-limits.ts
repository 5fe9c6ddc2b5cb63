import { JSON_LIMITS, type JsonLimits } from '../schema/json-bounds.ts'

/** The size limits of requests. */
export interface RequestLimits extends JsonLimits {
  /** The maximum bytes of a JSON body. @default 1 MiB */
  readonly body?: number
  /** The maximum characters of a request target. @default 8 KiB */
  readonly target?: number
  /** The maximum bytes of a page's rows. A larger page ends early, with at least one row. @default 4 MiB */
  readonly page?: number
}

/** The default limits. */
export const REQUEST_LIMITS: Required<RequestLimits> = {
  body: 1_048_576,
  target: 8_192,
  page: 4_194_304,
  ...JSON_LIMITS,
}

const { POSITIVE_INFINITY: ANY } = Number

/** Unlimited sizes, for nested requests of handlers, whose values are trusted. */
export const NO_LIMITS: Required<Omit<RequestLimits, 'page'>> = { body: ANY, target: ANY, objects: ANY, values: ANY }
