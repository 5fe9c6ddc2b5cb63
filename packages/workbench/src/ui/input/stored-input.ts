import { EMPTY_INPUT, type CallInput } from './call-input.ts'

/** An input that somebody gave a name. */
export interface SavedInput {
  readonly name: string
  readonly input: CallInput
}

/** What was typed for a route in this tab; null where nothing was. */
export function readTypedInput(route: string): CallInput | null {
  return toInput(read(() => sessionStorage, `workbench:input:${route}`))
}

/** Keeps what was typed for a route, as long as the tab is open. */
export function storeTypedInput(route: string, input: CallInput): void {
  write(() => sessionStorage, `workbench:input:${route}`, input)
}

/** The inputs that were saved for a route. */
export function readSavedInputs(route: string): readonly SavedInput[] {
  const kept = read(() => localStorage, `workbench:saved:${route}`)
  if (!Array.isArray(kept)) return []
  return kept.flatMap((each: unknown) => {
    const input = isRecord(each) ? toInput(each['input']) : null
    return isRecord(each) && typeof each['name'] === 'string' && input !== null ? [{ name: each['name'], input }] : []
  })
}

/** Keeps the saved inputs of a route; false where the browser has no room for them. */
export function storeSavedInputs(route: string, saved: readonly SavedInput[]): boolean {
  return write(() => localStorage, `workbench:saved:${route}`, saved)
}

/** Takes a function, as in a browser that forbids its storage even the access of `localStorage` throws. */
function read(storage: () => Storage, key: string): unknown {
  try {
    return JSON.parse(storage().getItem(key) ?? 'null') as unknown
  } catch {
    return null
  }
}

function write(storage: () => Storage, key: string, value: unknown): boolean {
  try {
    storage().setItem(key, JSON.stringify(value))
    return true
  } catch {
    return false // the storage is full or forbidden
  }
}

/** Checks stored input, which may be from an earlier version or edited by hand. */
function toInput(kept: unknown): CallInput | null {
  if (!isRecord(kept) || typeof kept['body'] !== 'string') return null
  const { body, headers, params, query } = kept
  return {
    ...EMPTY_INPUT,
    body,
    headers: (Array.isArray(headers) ? headers : []).filter(isHeader),
    params: isRecord(params) ? (params as CallInput['params']) : {},
    query: isRecord(query) ? (query as CallInput['query']) : {},
  }
}

function isHeader(row: unknown): row is readonly [string, string] {
  return Array.isArray(row) && row.length === 2 && row.every((part) => typeof part === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
