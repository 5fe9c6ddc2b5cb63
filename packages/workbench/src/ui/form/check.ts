import type { OutputUnit } from '@cfworker/json-schema'
import { toPointer } from '@sdk/protocol'
import { useEffect, useMemo, useState } from 'react'
import type { FieldIssue } from '../input/call-input.ts'
import { issueMessage } from './issue-messages.ts'
import { followRef, isJsonObject, keysOf, ownMember, type JsonSchema } from './json-schema.ts'
import { toJsValue, type Json } from './json-tree.ts'

/** Returns the issues of a value. */
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

/** Returns the issues of a value by its schema; empty until the validator is loaded. */
export function useIssues(schema: JsonSchema | null, json: Json | undefined): readonly FieldIssue[] {
  const [loaded, setLoaded] = useState<{ schema: JsonSchema; check: JsonCheck } | null>(null)
  useEffect(() => {
    if (schema === null) return undefined
    let isWanted = true
    loadCheck(schema).then(
      (check) => isWanted && setLoaded({ schema, check }),
      () => {}, // without the validator the form still works, and the server validates
    )
    return () => {
      isWanted = false
    }
  }, [schema])
  const check = loaded?.schema === schema ? loaded?.check : undefined
  return useMemo(() => (check === undefined || json === undefined ? [] : check(json)), [check, json])
}

/** Returns undefined if the validator throws, as for a pattern that is invalid in JavaScript: no issues are found. */
function tryOrUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** Keywords whose errors only mean that something inside them is invalid. */
const CONTAINERS = new Set([
  'properties',
  'items',
  'prefixItems',
  'additionalProperties',
  'additionalItems',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'dependentSchemas',
  'allOf',
  'if',
  '$ref',
])

/** Returns the issues to show: one for each cause, at its field. */
function toIssues(errors: readonly OutputUnit[], schema: JsonSchema): readonly FieldIssue[] {
  const causes = dropOtherBranches(locateFalse(errors)).filter(({ keyword }) => !CONTAINERS.has(keyword))
  const issues = causes.map((error) => toFieldIssue(error, schema))
  return [...new Map(issues.map((issue) => [`${issue.pointer}\n${issue.message}`, issue])).values()]
}

function toFieldIssue(error: OutputUnit, schema: JsonSchema): FieldIssue {
  const keys = keysAt(error.instanceLocation)
  const said = partAt(schema, error.keywordLocation)
  const name = MISSING.exec(error.error)?.[1]
  const isMissing = error.keyword === 'required' || error.keyword === 'dependentRequired'
  return {
    pointer: toPointer(isMissing && name !== undefined ? [...keys, name] : keys),
    message: issueMessage(fitsNone(error) ? 'anyOf' : error.keyword, said.value, said.around),
  }
}

/** Returns whether no branch matches; `oneOf` also fails if several match. */
function fitsNone({ keyword, error }: OutputUnit): boolean {
  return keyword === 'oneOf' && error.includes('(0 matches)')
}

/** Matches the missing name, which the validator only has in its message. */
const MISSING = /(?:required property|but does not have) "([^]*)"\.$/

/** Adds the location of a `false` schema, which the validator omits: it is that of the error before it. */
function locateFalse(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  return errors.map((error, index) => {
    if (error.keyword !== 'false') return error
    const before = errors[index - 1]
    return { ...error, keywordLocation: `${before?.keywordLocation ?? '#'}/false` }
  })
}

/** Keeps only the errors of the likeliest branch of each union. */
function dropOtherBranches(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  let kept = errors
  for (const union of errors) {
    if (union.keyword !== 'anyOf' && union.keyword !== 'oneOf') continue
    if (!kept.includes(union)) continue
    const inside = kept.filter((error) => error.keywordLocation.startsWith(`${union.keywordLocation}/`))
    const best = likeliest(union, inside)
    kept = kept
      .filter((error) => !inside.includes(error) || best.includes(error))
      .filter((error) => error !== union || best.length === 0)
  }
  return kept
}

/** Returns the errors of the intended branch; empty if no branch matches better than the others. */
function likeliest(union: OutputUnit, errors: readonly OutputUnit[]): readonly OutputUnit[] {
  const branches = new Map<string, OutputUnit[]>()
  for (const error of errors) {
    const branch = error.keywordLocation.slice(union.keywordLocation.length + 1).split('/', 1)[0] ?? ''
    branches.set(branch, [...(branches.get(branch) ?? []), error])
  }
  const ranked = [...branches.values()].toSorted((a, b) => badness(a, union) - badness(b, union))
  const [best] = ranked
  const fitsMany = union.keyword === 'oneOf' && !fitsNone(union)
  if (best === undefined || fitsMany) return []
  return badness(best, union) >= OTHER_KIND && branches.size > 1 ? [] : best
}

/** The weight of another type or another constant: the branch was not intended. */
const OTHER_KIND = 1000

function badness(errors: readonly OutputUnit[], union: OutputUnit): number {
  const isOther = errors.some(
    ({ keyword, instanceLocation }) => KIND_KEYWORDS.has(keyword) && instanceLocation === union.instanceLocation,
  )
  const isOtherTag = errors.some(
    ({ keyword, instanceLocation }) => keyword === 'const' && isChild(instanceLocation, union),
  )
  return (
    (isOther ? OTHER_KIND : 0) +
    (isOtherTag ? OTHER_KIND / 2 : 0) +
    errors.reduce((sum, error) => sum + errorWeight(error), 0)
  )
}

/** Returns the weight of an error: an invalid member indicates the intended branch better than a missing one. */
function errorWeight({ keyword }: OutputUnit): number {
  if (CONTAINERS.has(keyword)) return 0
  return keyword === 'required' ? 3 : 2
}

const KIND_KEYWORDS = new Set(['type', 'const', 'enum'])

function isChild(location: string, { instanceLocation }: OutputUnit): boolean {
  return location.startsWith(`${instanceLocation}/`) && !location.slice(instanceLocation.length + 1).includes('/')
}

/** Returns the keys of a location, which the validator encodes as a URI. */
function keysAt(location: string): string[] {
  return keysOf(location).map(decodeURIComponent)
}

/** Returns the schema at a location and the schema around it, through references. */
function partAt(root: JsonSchema, location: string): { value: unknown; around: JsonSchema } {
  let value: unknown = root
  let around: JsonSchema = root
  for (const key of keysAt(location)) {
    if (isJsonObject(value)) around = value
    value = Array.isArray(value) ? (value[Number(key)] as unknown) : ownMember(value, key)
    if (key === '$ref') value = followRef(value, root)
  }
  return { value, around }
}
