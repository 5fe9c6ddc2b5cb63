import { useEffect, useMemo, useState } from 'react'
import type { FieldFault } from '../input/call-input.ts'
import { toFaults } from './check-errors.ts'
import type { JsonSchema } from './json-schema.ts'
import { toPlain, type Json } from './json-tree.ts'

/** Says what is wrong with a value. */
export type Check = (json: Json) => readonly FieldFault[]

/** Loads the validator when it is first needed. It interprets schemas without `eval`, which the CSP forbids. */
export async function loadCheck(schema: JsonSchema): Promise<Check> {
  const { Validator } = await import('@cfworker/json-schema')
  const find = attempt(() => new Validator(schema, '2020-12', false))
  return (json) => {
    const result = attempt(() => find?.validate(toPlain(json)))
    return result === undefined ? [] : toFaults(result.errors, schema)
  }
}

/** What is wrong with a value by its schema; nothing until the validator is there. */
export function useFaults(schema: JsonSchema | null, json: Json | undefined): readonly FieldFault[] {
  const [loaded, setLoaded] = useState<{ schema: JsonSchema; check: Check } | null>(null)
  useEffect(() => {
    if (schema === null) return undefined
    let isWanted = true
    loadCheck(schema).then(
      (check) => isWanted && setLoaded({ schema, check }),
      () => {}, // without the validator the form still works, and the server checks
    )
    return () => {
      isWanted = false
    }
  }, [schema])
  const check = loaded?.schema === schema ? loaded?.check : undefined
  return useMemo(() => (check === undefined || json === undefined ? [] : check(json)), [check, json])
}

/** Undefined where the validator throws, as for a pattern that is not valid in JavaScript: then it finds no faults. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
