import type { QueryValue } from '@sdk/frontend'
import { toPointer, type ApiError, type DetailSource } from '@sdk/protocol'

/** The input for a call. */
export interface CallInput {
  /** The body as JSON text, or an empty string for no body. */
  readonly body: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, QueryValue>>
}

/** An input without parameters, headers or a body. */
export const EMPTY_INPUT: CallInput = { body: '', headers: [], params: {}, query: {} }

/** A problem with a value in the input. `pointer` is a JSON Pointer such as `/items/0/title`. */
export interface FieldIssue {
  readonly pointer: string
  readonly message: string
}

/** Returns the issues that an error reports for one part of the request. Parameter names are converted to pointers. */
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
