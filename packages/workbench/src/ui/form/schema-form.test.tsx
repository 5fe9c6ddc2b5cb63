// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render } from '@testing-library/react'
import fc from 'fast-check'
import { useState, type ReactNode } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { keysOf, type JsonSchema } from './json-schema.ts'
import { parseJsonTree, printJson } from './json-text.ts'
import { fromJsValue, type Json } from './json-tree.ts'
import { sampleOf } from './sample.ts'
import { SchemaForm } from './schema-form.tsx'
import { SCHEMAS } from './schemas.test.fixture.ts'
import { shapeOf } from './shape.ts'

/** The number of runs per schema. Rendering a form is slow; the seed differs every time, which adds coverage. */
const RUNS = 2

afterEach(cleanup)

describe('SchemaForm', () => {
  it.each(SCHEMAS)('labels every field and button: $name', ({ schema }) => {
    const shape = shapeOf(schema, schema)
    for (const mode of ['blank', 'full'] as const) {
      const form = show(schema, printJson(sampleOf(shape, mode) ?? fromJsValue({})))
      for (const control of controlsOf(form.box)) expect(nameOf(control), control.outerHTML).not.toBe('')
      for (const button of form.box.querySelectorAll('button')) expect(nameOf(button), button.outerHTML).not.toBe('')
      const ids = [...form.box.querySelectorAll('[id]')].map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      cleanup()
    }
  })

  it.each(SCHEMAS)('changes only the edited field: $name', async ({ schema, bad }) => {
    const shape = shapeOf(schema, schema)
    const seeds = [
      sampleOf(shape, 'full'),
      sampleOf(shape, 'blank'),
      bad === undefined ? undefined : parseJsonTree(bad.text),
    ]
    const value = fc.oneof(
      fc.constantFrom(...seeds.filter((seed) => seed !== undefined), fromJsValue(null)),
      fc
        .tuple(fc.constantFrom(...seeds.filter((seed) => seed !== undefined), fromJsValue({})), jsonOf(schema))
        .map(([a, b]) => mix(a, b)),
      jsonOf(schema),
    )
    fc.assert(
      fc.property(value, fc.nat(), (json, pick) => {
        const text = printJson(json, ' ')
        const form = show(schema, text)
        try {
          expect(form.changes()).toBe(0)
          const controls = controlsOf(form.box)
          const control = controls[pick % Math.max(1, controls.length)]
          if (control === undefined) return
          const pointer = pointerOf(control)
          typeInto(control)
          expect(form.changes(), control.outerHTML).toBeGreaterThan(0)
          if (pointer === null) return
          expect(printJson(without(parseJsonTree(form.text()), pointer))).toBe(printJson(without(json, pointer)))
        } finally {
          cleanup()
        }
      }),
      { numRuns: RUNS },
    )
    await act(async () => {})
  })
})

/** Renders a form, and returns its current text. */
function show(schema: JsonSchema, first: string): { box: HTMLElement; text: () => string; changes: () => number } {
  let now = first
  let count = 0
  function Page(): ReactNode {
    const [text, setText] = useState(first)
    return (
      <SchemaForm
        schema={schema}
        value={text}
        label="Input"
        issues={[]}
        onChange={(next) => {
          now = next
          count++
          setText(next)
        }}
      />
    )
  }
  const { container } = render(<Page />)
  const box = container.querySelector<HTMLElement>('.schema-form') ?? container
  return { box, text: () => now, changes: () => count }
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Returns the controls that can be edited. */
function controlsOf(box: HTMLElement): Control[] {
  const all = [...box.querySelectorAll<Control>('input, select, textarea')]
  return all.filter((control) => !('readOnly' in control && control.readOnly))
}

/** Returns the accessible name. */
function nameOf(element: HTMLElement): string {
  const label = element.getAttribute('aria-label')
  if (label !== null) return label
  if (!(element instanceof HTMLButtonElement))
    return [...((element as HTMLInputElement).labels ?? [])]
      .map((each) => each.textContent)
      .join(' ')
      .trim()
  return element.textContent.trim()
}

/** Returns the pointer that a control edits; null if it edits the name of a member. */
function pointerOf(control: Control): string | null {
  const prefix = /^_r_\w+_/
  const id = control.id === '' ? (control.closest('[role=radiogroup]')?.querySelector('input')?.id ?? '') : control.id
  if (/-name-\d+$/.test(id) || control.className === 'form-picker' || !prefix.test(id)) return null
  return decodeURIComponent(id.replace(prefix, '').replace(/-branch$/, ''))
}

/** Changes the value of a control as a user would. */
function typeInto(control: Control): void {
  if (control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio')) {
    const other = [...document.getElementsByName(control.name)].find((each) => !(each as HTMLInputElement).checked)
    fireEvent.click(control.type === 'radio' ? (other ?? control) : control)
  } else if (control instanceof HTMLSelectElement) {
    const other = [...control.options].find(({ value }) => value !== control.value && value !== '-1')
    if (other !== undefined) fireEvent.change(control, { target: { value: other.value } })
  } else fireEvent.change(control, { target: { value: sampleTyping(control) } })
}

function sampleTyping(control: HTMLInputElement | HTMLTextAreaElement): string {
  if (control.type === 'date') return '2001-02-03'
  if (control.type === 'datetime-local') return '2001-02-03T04:05:06'
  if (control.type === 'time') return '04:05:06'
  // Valid in fields for text, numbers and JSON.
  return control.value === '4711' ? '4712' : '4711'
}

/** Replaces the value at a pointer, so that everything around it can be compared. */
function without(json: Json, pointer: string): Json {
  const [key, ...rest] = keysOf(pointer)
  if (key === undefined) return fromJsValue('what was edited')
  const inner = rest.map((each) => `/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  if (json.kind === 'array')
    return {
      kind: 'array',
      items: json.items.map((item, index) => (String(index) === key ? without(item, inner) : item)),
    }
  if (json.kind !== 'object') return json
  const last = json.members.findLastIndex(({ name }) => name === key)
  // For duplicate names, the pointer has the index of the edited one.
  const at = last < 0 && /#\d+$/.test(key) ? Number(key.slice(key.lastIndexOf('#') + 1)) : last
  const kept = json.members.filter((_, index) => index !== at)
  const found = json.members[at]
  // An absent member is added in the order of the schema. The order of the other members must not change.
  return {
    kind: 'object',
    members: [
      ...kept,
      { name: key, value: found === undefined ? fromJsValue('what was edited') : without(found.value, inner) },
    ],
  }
}

/** Generates JSON of all kinds, often with the names of the schema. */
function jsonOf(schema: JsonSchema): fc.Arbitrary<Json> {
  const names = [
    ...new Set(
      [...JSON.stringify(schema).matchAll(/"((?:[^"\\]|\\.)*)":/g)].map(
        ([, name = '']) => JSON.parse(`"${name}"`) as string,
      ),
    ),
  ]
  const name = fc.oneof(fc.constantFrom('x', '__proto__', ...names), fc.string())
  return fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(
        fc.string({ unit: 'binary' }).map(fromJsValue),
        fc.boolean().map(fromJsValue),
        fc.constant(fromJsValue(null)),
        fc
          .constantFrom('0', '-0', '1e21', '12345678901234567890', '1.50', '-3')
          .map((text): Json => ({ kind: 'number', text })),
      ),
      fc.array(tie('json'), { maxLength: 3 }).map((items): Json => ({ kind: 'array', items })),
      fc
        .array(fc.record({ name, value: tie('json') }), { maxLength: 4 })
        .map((members): Json => ({ kind: 'object', members })),
    ),
  })).json
}

/** Creates a value that is nearly valid: some of its members are replaced. */
function mix(json: Json, other: Json): Json {
  if (json.kind === 'object' && json.members.length > 0)
    return {
      kind: 'object',
      members: json.members.map(({ name, value }, index) => ({ name, value: index === 0 ? mix(value, other) : value })),
    }
  if (json.kind === 'array' && json.items.length > 0)
    return { kind: 'array', items: [mix(json.items[0] ?? other, other), ...json.items.slice(1)] }
  return other
}
