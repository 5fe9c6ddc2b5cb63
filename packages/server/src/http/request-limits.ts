import { JSON_LIMITS, type JsonLimits } from '../schema/json-bounds.ts'

/** The sizes that a request may have. */
export interface RequestLimits extends JsonLimits {
  /** Bytes of a JSON body. @default 1 MiB */
  readonly body?: number
  /** Characters of a request target. @default 8 KiB */
  readonly target?: number
  /** Bytes of the rows in a page of a list: a page with more ends early. It has at least one row. @default 4 MiB */
  readonly page?: number
}

/** The limits of an app that sets none. */
export const REQUEST_LIMITS: Required<RequestLimits> = {
  body: 1_048_576,
  target: 8_192,
  page: 4_194_304,
  ...JSON_LIMITS,
}

const { POSITIVE_INFINITY: ANY } = Number

/** No limits of a request, for those that a handler makes: its values are not a stranger's. */
export const NO_LIMITS: Required<Omit<RequestLimits, 'page'>> = { body: ANY, target: ANY, objects: ANY, values: ANY }
