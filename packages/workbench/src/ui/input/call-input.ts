import type { QueryValue } from '@sdk/frontend'
import { toPointer, type ApiError, type DetailSource } from '@sdk/protocol'

/** The input of a call. */
export interface CallInput {
  /** JSON text; empty for no body. */
  readonly body: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, QueryValue>>
}

/** The input of a call without parameters and body. */
export const EMPTY_INPUT: CallInput = { body: '', headers: [], params: {}, query: {} }

/** An issue of an input, with a JSON Pointer such as `/items/0/title`. */
export interface FieldIssue {
  readonly pointer: string
  readonly message: string
}

/** Returns the issues of an error in one part of the request: fields by pointer, parameters by name. */
export function issuesOf(
  error: Pick<ApiError, 'details'> | null,
  source: DetailSource = 'body',
): readonly FieldIssue[] {
  return (error?.details ?? [])
    .filter((detail) => (detail.source ?? 'body') === source)
    .map(({ pointer, name, message }) => ({
      pointer: pointer ?? (name === undefined ? '' : toPointer(name.split('.'))),
      message,
    }))
}
