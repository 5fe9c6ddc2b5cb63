/** The sizes that a request may have. */
export interface RequestLimits {
  /** Bytes of a JSON body. @default 1 MiB */
  readonly body?: number
  /** Characters of a request target. @default 8 KiB */
  readonly target?: number
}

/** The limits of an app that sets none. */
export const REQUEST_LIMITS: Required<RequestLimits> = { body: 1_048_576, target: 8_192 }
