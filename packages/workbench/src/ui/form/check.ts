import type { OutputUnit } from '@cfworker/json-schema'
import { toPointer } from '@sdk/protocol'
import { useEffect, useMemo, useState } from 'react'
import type { FieldIssue } from '../input/call-input.ts'
import { issueMessage } from './issue-messages.ts'
import { followRef, isJsonObject, keysOf, ownMember, type JsonSchema } from './json-schema.ts'
import { toJsValue, type Json } from './json-tree.ts'

/** A function that validates a value and returns its issues. */
export type JsonCheck = (json: Json) => readonly FieldIssue[]

/** Loads the validator on demand. It interprets schemas without `eval`, which the CSP forbids. */
export async function loadCheck(schema: JsonSchema): Promise<JsonCheck> {
  const { Validator } = await import('@cfworker/json-schema')
  const find = tryOrUndefined(() => new Validator(schema, '2020-12', false))
  return (json) => {
    const result = tryOrUndefined(() => find?.validate(toJsValue(json)))
    return result === undefined ? [] : toIssues(result.errors, schema)
  }
}

/** Validates a value against a schema and returns its issues. The list is empty until the validator is loaded. */
export function useIssues(schema: JsonSchema | null, json: Json | undefined): readonly FieldIssue[] {
  const [loaded, setLoaded] = useState<{ schema: JsonSchema; check: JsonCheck } | null>(null)
  useEffect(() => {
    if (schema === null) return undefined
    let isWanted = true
    loadCheck(schema).then(
      (check) => isWanted && setLoaded({ schema, check }),
      () => {}, // the form works without the validator, and the server validates anyway
    )
    return () => {
      isWanted = false
    }
  }, [schema])
  const check = loaded?.schema === schema ? loaded?.check : undefined
  return useMemo(() => (check === undefined || json === undefined ? [] : check(json)), [check, json])
}

/** Calls `work`, or returns undefined if it throws, for example for a pattern that is invalid in JavaScript. */
function tryOrUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** Keywords whose errors only mean that a nested value is invalid. */
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

/** Returns the issues to show, one per cause, each at its field. */
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

/** Returns whether a `oneOf` failed because no branch matches. A `oneOf` also fails if several branches match. */
function fitsNone({ keyword, error }: OutputUnit): boolean {
  return keyword === 'oneOf' && error.includes('(0 matches)')
}

/** Matches the name of a missing property, which the validator reports only in its message. */
const MISSING = /(?:required property|but does not have) "([^]*)"\.$/

/** Adds the location of a `false` schema, which the validator omits. It is taken from the preceding error. */
function locateFalse(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  return errors.map((error, index) => {
    if (error.keyword !== 'false') return error
    const before = errors[index - 1]
    return { ...error, keywordLocation: `${before?.keywordLocation ?? '#'}/false` }
  })
}

/** Keeps only the errors from the most likely branch of each union. */
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

/** Returns the errors from the branch that was most likely intended, or an empty list if there is no such branch. */
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

/** The weight of a wrong type or constant, which means that the branch was not intended. */
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

/**
 * Returns the weight of an error. A missing member weighs more than an invalid one, since it suggests that the branch
 * was not intended.
 */
function errorWeight({ keyword }: OutputUnit): number {
  if (CONTAINERS.has(keyword)) return 0
  return keyword === 'required' ? 3 : 2
}

const KIND_KEYWORDS = new Set(['type', 'const', 'enum'])

function isChild(location: string, { instanceLocation }: OutputUnit): boolean {
  return location.startsWith(`${instanceLocation}/`) && !location.slice(instanceLocation.length + 1).includes('/')
}

/** Returns the keys in a location, which the validator URI-encodes. */
function keysAt(location: string): string[] {
  return keysOf(location).map(decodeURIComponent)
}

/** Returns the value at a location in a schema, and the schema that contains it. References are followed. */
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
