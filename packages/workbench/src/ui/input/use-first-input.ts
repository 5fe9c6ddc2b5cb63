import { useEffect, useRef } from 'react'
import { printJson } from '../form/json-text.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { sampleOf } from '../form/sample.ts'
import { shapeOf } from '../form/shape.ts'
import type { CallInput } from './call-input.ts'
import { storeTypedInput, readTypedInput } from './stored-input.ts'

interface FirstInput {
  readonly route: string
  readonly schema: JsonSchema | null
  readonly value: CallInput
  readonly onChange: (next: CallInput) => void
}

/** Fills in the first input of a route: what was typed in this tab, else the schema's defaults. Stores changes. */
export function useFirstInput({ route, schema, value, onChange }: FirstInput): void {
  const seen = useRef<{ route: string; hasSchema: boolean; value: CallInput } | null>(null)
  useEffect(() => {
    const before = seen.current?.route === route ? seen.current : null
    seen.current = { route, hasSchema: schema !== null, value }
    const hasNews = before === null || (schema !== null && !before.hasSchema)
    const first = hasNews && value.body === '' ? (readTypedInput(route) ?? blankOf(schema, value)) : null
    if (first !== null) onChange(first)
    else if (before !== null && before.value !== value) storeTypedInput(route, value)
  }, [route, schema, value, onChange])
}

function blankOf(schema: JsonSchema | null, value: CallInput): CallInput | null {
  const json = schema === null ? undefined : sampleOf(shapeOf(schema, schema), 'blank')
  return json === undefined ? null : { ...value, body: printJson(json) }
}
