import { readStored, writeStored } from '../components/stored-value.ts'
import { isJsonObject } from '../form/json-schema.ts'
import { EMPTY_INPUT, type CallInput } from './call-input.ts'

/** An input that was saved under a name. */
export interface SavedInput {
  readonly name: string
  readonly input: CallInput
}

/** Reads the input that was typed for a route in this tab, or returns null if there is none. */
export function readTypedInput(route: string): CallInput | null {
  return toInput(readStored(`workbench:input:${route}`, () => sessionStorage))
}

/** Stores the input typed for a route until the tab is closed. */
export function storeTypedInput(route: string, input: CallInput): void {
  writeStored(`workbench:input:${route}`, input, () => sessionStorage)
}

/** Reads the inputs that were saved for a route. */
export function readSavedInputs(route: string): readonly SavedInput[] {
  const stored = readStored(`workbench:saved:${route}`)
  if (!Array.isArray(stored)) return []
  return stored.flatMap((each: unknown) => {
    const input = isJsonObject(each) ? toInput(each['input']) : null
    return isJsonObject(each) && typeof each['name'] === 'string' && input !== null
      ? [{ name: each['name'], input }]
      : []
  })
}

/** Stores the saved inputs for a route. Returns false if web storage is full or disabled. */
export function storeSavedInputs(route: string, saved: readonly SavedInput[]): boolean {
  return writeStored(`workbench:saved:${route}`, saved)
}

/** Validates a stored input, which may have been written by an earlier version or edited by hand. */
function toInput(stored: unknown): CallInput | null {
  if (!isJsonObject(stored) || typeof stored['body'] !== 'string') return null
  const { body, headers, params, query } = stored
  return {
    ...EMPTY_INPUT,
    body,
    headers: (Array.isArray(headers) ? headers : []).filter(isHeader),
    params: isJsonObject(params) ? (params as CallInput['params']) : {},
    query: isJsonObject(query) ? (query as CallInput['query']) : {},
  }
}

function isHeader(row: unknown): row is readonly [string, string] {
  return Array.isArray(row) && row.length === 2 && row.every((part) => typeof part === 'string')
}
