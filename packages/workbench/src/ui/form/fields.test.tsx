// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState, type ReactNode } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { FieldIssue } from '../input/call-input.ts'
import type { JsonSchema } from './json-schema.ts'
import { SchemaForm } from './schema-form.tsx'

afterEach(cleanup)

describe('a number', () => {
  it('is displayed as typed, and sent once it is valid', () => {
    const form = show(z.object({ n: z.number() }), { n: 1 })
    for (const typed of ['-', '-1', '-1.', '-1.5', '-1.5e', '-1.5e21']) {
      type('n', typed)
      expect(field('n').value).toBe(typed)
    }
    expect(form.text()).toContain('-1.5e21')
    type('n', '12345678901234567890')
    expect(form.text()).toContain('12345678901234567890')
    type('n', '-0')
    expect(form.text()).toContain('-0')
  })

  it('shows which value is sent while it is incomplete', () => {
    const form = show(z.object({ n: z.number() }), { n: 7 })
    type('n', '7e')
    expect(screen.getByText('is not a number yet; 7 is sent')).toBeTruthy()
    expect(form.value()).toEqual({ n: 7 })
    type('n', '')
    expect(form.value()).toEqual({})
  })
})

describe('a string', () => {
  it('keeps all kinds of line breaks', () => {
    const form = show(z.object({ a: z.string().max(9), b: z.string() }), { a: 'x\ny', b: 'x\r\ny' })
    expect(field('a').tagName).toBe('TEXTAREA')
    expect(field('b').value).toBe(String.raw`"x\r\ny"`)
    type('a', 'x\nz')
    expect(form.value()).toEqual({ a: 'x\nz', b: 'x\r\ny' })
  })

  it('keeps the zone and the precision of a date and time when another one is picked', () => {
    const form = show(z.object({ at: z.iso.datetime({ offset: true }) }), { at: '2026-01-31T12:00:00.250+02:00' })
    type('Pick at', '2027-02-03T04:05:06')
    expect(form.value()).toEqual({ at: '2027-02-03T04:05:06.250+02:00' })
  })
})

describe('a choice', () => {
  it('supports values of any type', () => {
    const form = show(z.object({ one: z.literal(['1', 1, true, null]) }), { one: '1' })
    expect(screen.getByRole<HTMLInputElement>('radio', { name: '"1"' }).checked).toBe(true)
    fireEvent.click(screen.getByRole('radio', { name: '1' }))
    expect(form.value()).toEqual({ one: 1 })
    fireEvent.click(screen.getByRole('radio', { name: 'null' }))
    expect(form.value()).toEqual({ one: null })
  })
})

describe('a nullable field', () => {
  it('can be set to null, and restores its value', () => {
    const form = show(z.object({ text: z.string().nullable() }), { text: 'kept' })
    click('text: null')
    expect(form.value()).toEqual({ text: null })
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'text: null' }))
    click('text: null')
    expect(form.value()).toEqual({ text: 'kept' })
  })
})

describe('an object', () => {
  it('adds members in the order of the schema, and removes them', () => {
    const form = show(z.object({ a: z.string().optional(), b: z.string() }), { b: 'x', more: 1 })
    click('+ a')
    expect(form.text().replaceAll(/\s/g, '')).toBe('{"a":"","b":"x","more":1}')
    expect(document.activeElement).toBe(field('a'))
    click('Remove a')
    expect(form.value()).toEqual({ b: 'x', more: 1 })
    expect(document.activeElement?.textContent).toBe('+ a')
  })

  it('shows unknown members as JSON', () => {
    const form = show(z.object({ b: z.string() }), { b: 'x', more: { deep: [1] } })
    type('more', '{"deep":[2]}')
    expect(form.value()).toEqual({ b: 'x', more: { deep: [2] } })
  })
})

describe('a map', () => {
  it('keeps the position of a renamed member, and marks duplicate names', () => {
    const form = show(z.record(z.string(), z.number()), { x: 1, y: 2 })
    const [name] = screen.getAllByLabelText<HTMLInputElement>('Name')
    fireEvent.change(name ?? document.body, { target: { value: 'y' } })
    expect(form.text().replaceAll(/\s/g, '')).toBe('{"y":1,"y":2}')
    expect(screen.getAllByText(/used twice/)).toHaveLength(2)
    fireEvent.change(name ?? document.body, { target: { value: '__proto__' } })
    expect(form.text().replaceAll(/\s/g, '')).toBe('{"__proto__":1,"y":2}')
    expect(Object.prototype).not.toHaveProperty('y')
    click('+ member')
    expect(form.text().replaceAll(/\s/g, '')).toBe('{"__proto__":1,"y":2,"key":0}')
  })
})

describe('a list', () => {
  it('moves items and the focus with buttons and keys', () => {
    const form = show(z.array(z.string()), ['a', 'b', 'c'])
    const down = screen.getByRole('button', { name: 'Move item 1 down' })
    down.focus()
    fireEvent.click(down)
    expect(form.value()).toEqual(['b', 'a', 'c'])
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move item 2 down' }))
    field('Item 3').focus()
    fireEvent.keyDown(field('Item 3'), { key: 'ArrowUp', altKey: true })
    expect(form.value()).toEqual(['b', 'c', 'a'])
    expect(document.activeElement).toBe(field('Item 2'))
    fireEvent.click(screen.getByRole('button', { name: 'Move item 1 up' }))
    expect(form.value()).toEqual(['b', 'c', 'a'])
  })

  it('shows a long list page by page', () => {
    const form = show(
      z.array(z.int()),
      Array.from({ length: 110 }, (_, index) => index),
    )
    // Queries by text, since looking up the accessible names of this many fields takes seconds.
    expect(screen.queryByText('Item 101')).toBeNull()
    fireEvent.click(screen.getByText('10 more'))
    const { htmlFor } = screen.getByText<HTMLLabelElement>('Item 101', { selector: 'label' })
    fireEvent.change(document.getElementById(htmlFor) as HTMLElement, { target: { value: '7' } })
    expect((form.value() as number[])[100]).toBe(7)
    expect(form.value()).toHaveLength(110)
  })

  it('adds and removes items', () => {
    const form = show(z.array(z.string()), ['a'])
    click('+ item')
    expect(document.activeElement).toBe(field('Item 2'))
    type('Item 2', 'b')
    click('Remove item 1')
    expect(form.value()).toEqual(['b'])
  })
})

describe('a union', () => {
  const shapes = z.object({
    shape: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('circle'), name: z.string(), r: z.number() }),
      z.object({ kind: z.literal('box'), name: z.string(), w: z.number() }),
    ]),
  })

  it('shows the matching branch, and keeps the values when the branch changes', () => {
    const form = show(shapes, { shape: { kind: 'box', name: 'n', w: 7 } })
    expect(field('shape: kind').selectedOptions[0]?.textContent).toBe('box')
    choose('shape: kind', 'circle')
    expect(form.value()).toEqual({ shape: { kind: 'circle', name: 'n', r: 0 } })
    choose('shape: kind', 'box')
    expect(form.value()).toEqual({ shape: { kind: 'box', name: 'n', w: 7 } })
  })

  it('keeps the selected branch while it is edited', () => {
    const form = show(
      z.object({ v: z.union([z.object({ a: z.string() }), z.object({ a: z.string(), b: z.number() })]) }),
      {
        v: { a: 'x' },
      },
    )
    choose('v: type', '{ a, b }')
    type('b', '')
    expect(form.value()).toEqual({ v: { a: 'x' } })
    expect(field('v: type').selectedOptions[0]?.textContent).toBe('{ a, b }')
  })
})

describe('an invalid value', () => {
  it('is shown as JSON until the field loses focus', () => {
    const form = show(z.object({ n: z.number() }), { n: 'seven' })
    const box = field('n')
    expect(box.value).toBe('"seven"')
    box.focus()
    type('n', '7')
    expect(form.value()).toEqual({ n: 7 })
    expect(field('n')).toBe(box)
    fireEvent.blur(box)
    expect(field('n').tagName).toBe('INPUT')
  })

  it('can be replaced by a valid one', () => {
    const form = show(z.object({ tags: z.array(z.string()) }), { tags: 'a' })
    click('Replace tags')
    expect(form.value()).toEqual({ tags: [] })
  })
})

describe('issues', () => {
  it('are shown once the field was visited, and link to it', async () => {
    show(z.object({ deep: z.object({ text: z.string().min(1) }), n: z.number().max(5) }), { deep: { text: '' }, n: 9 })
    await screen.findByText('must be at most 5', { selector: 'p' })
    expect(screen.queryByText('must have at least 1 character')).toBeNull()
    document.querySelector('details')?.removeAttribute('open')
    click('1 field to fill in')
    expect(document.activeElement).toBe(field('text'))
    expect(document.querySelector('details')?.open).toBe(true)
    fireEvent.blur(field('text'))
    expect(screen.getByText('must have at least 1 character', { selector: 'p' })).toBeTruthy()
    expect(field('text').getAttribute('aria-invalid')).toBe('true')
  })

  it('from the server are shown at their fields immediately', () => {
    show(z.object({ name: z.string() }), { name: '' }, [{ pointer: '/name', message: 'is taken' }])
    expect(screen.getByText('is taken', { selector: 'p' })).toBeTruthy()
  })
})

describe('text that is not JSON', () => {
  it('is not changed', () => {
    const schema = z.toJSONSchema(z.object({})) as JsonSchema
    render(<SchemaForm schema={schema} value="{" onChange={fail} issues={[]} label="Input" />)
    expect(screen.getByText(/not valid JSON yet/)).toBeTruthy()
  })
})

function show(
  schema: z.ZodType,
  first: unknown,
  issues: readonly FieldIssue[] = [],
): { text: () => string; value: () => unknown } {
  const json = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema
  let now = JSON.stringify(first)
  function Page(): ReactNode {
    const [text, setText] = useState(now)
    const onChange = (next: string): void => {
      now = next
      setText(next)
    }
    return <SchemaForm schema={json} value={text} onChange={onChange} issues={issues} label="Input" />
  }
  render(<Page />)
  return { text: () => now, value: () => JSON.parse(now) as unknown }
}

function field(label: string): HTMLInputElement & HTMLSelectElement {
  return screen.getByLabelText(label, {
    selector: 'input, select, textarea',
  })
}

function type(label: string, value: string): void {
  fireEvent.change(field(label), { target: { value } })
}

function choose(label: string, title: string): void {
  const option = [...field(label).options].find(({ textContent }) => textContent === title)
  fireEvent.change(field(label), { target: { value: option?.value } })
}

function click(name: string): void {
  fireEvent.click(screen.getByRole('button', { name }))
}

function fail(): void {
  throw new Error('onChange was called')
}
