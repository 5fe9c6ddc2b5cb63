import { useEffect, useMemo, useState } from 'react'
import type { FieldIssue } from '../input/call-input.ts'
import { toIssues } from './check-errors.ts'
import type { JsonSchema } from './json-schema.ts'
import { toJsValue, type Json } from './json-tree.ts'

/** Says what is wrong with a value. */
export type JsonCheck = (json: Json) => readonly FieldIssue[]

/** Loads the validator when it is first needed. It interprets schemas without `eval`, which the CSP forbids. */
export async function loadCheck(schema: JsonSchema): Promise<JsonCheck> {
  const { Validator } = await import('@cfworker/json-schema')
  const find = tryOrUndefined(() => new Validator(schema, '2020-12', false))
  return (json) => {
    const result = tryOrUndefined(() => find?.validate(toJsValue(json)))
    return result === undefined ? [] : toIssues(result.errors, schema)
  }
}

/** Returns the issues of a value by its schema; none until the validator is loaded. */
export function useIssues(schema: JsonSchema | null, json: Json | undefined): readonly FieldIssue[] {
  const [loaded, setLoaded] = useState<{ schema: JsonSchema; check: JsonCheck } | null>(null)
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

/** Undefined where the validator throws, as for a pattern that is not valid in JavaScript: then it finds no issues. */
function tryOrUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
