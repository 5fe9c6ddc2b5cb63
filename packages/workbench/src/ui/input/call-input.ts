import type { QueryValue } from '@sdk/frontend'
import { toPointer, type ApiError, type DetailSource } from '@sdk/protocol'

/** What a call is made with. */
export interface CallInput {
  /** JSON text; empty: no body. */
  readonly body: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** What the path's parameters stand for. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, QueryValue>>
}

/** A call with nothing. */
export const EMPTY_INPUT: CallInput = { body: '', headers: [], params: {}, query: {} }

/** Something that is wrong with an input, and where: `/items/0/title`, in JSON Pointer's words. */
export interface FieldFault {
  readonly pointer: string
  readonly message: string
}

/** What a refusal says of one part of the request: of fields by their pointer, of parameters by their name. */
export function faultsOf(
  error: Pick<ApiError, 'details'> | null,
  source: DetailSource = 'body',
): readonly FieldFault[] {
  return (error?.details ?? [])
    .filter((detail) => (detail.source ?? 'body') === source)
    .map(({ pointer, name, message }) => ({
      pointer: pointer ?? (name === undefined ? '' : toPointer(name.split('.'))),
      message,
    }))
}
