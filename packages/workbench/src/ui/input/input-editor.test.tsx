// @vitest-environment happy-dom
import { SdkProvider } from '@sdk/react'
import { createHttpClient } from '@sdk/frontend'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState, type ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EMPTY_INPUT, type CallInput, type FieldIssue } from './call-input.ts'
import { InputEditor, type JsonSchema } from './input-editor.tsx'

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: { text: { type: 'string', minLength: 1 }, times: { type: 'integer', default: 3 } },
  required: ['text'],
  examples: [{ text: 'from the schema' }],
}
const RUN = { id: 'r1', route: 'POST /agent/a', state: 'done', status: 200, startedAt: 0, bytes: 5, caller: 'curl' }

beforeEach(() => {
  sessionStorage.clear()
  localStorage.clear()
  vi.stubGlobal('EventSource', SilentEvents)
})
afterEach(cleanup)

describe('InputEditor', () => {
  it('starts with the example and the defaults of the schema', async () => {
    const page = show()
    await waitFor(() => expect(JSON.parse(page.input().body)).toEqual({ text: 'from the schema', times: 3 }))
  })

  it('starts with the input that was typed before in this tab', async () => {
    const page = show()
    fireEvent.change(await screen.findByLabelText(/^text/), { target: { value: 'mine' } })
    page.leave()
    const again = show()
    await waitFor(() => expect(JSON.parse(again.input().body)).toEqual({ text: 'mine', times: 3 }))
    again.leave()
    const other = show({ route: 'POST /agent/other' })
    await waitFor(() => expect(JSON.parse(other.input().body)).toEqual({ text: 'from the schema', times: 3 }))
  })

  it('keeps working if the storage is full', async () => {
    for (const name of ['sessionStorage', 'localStorage']) vi.stubGlobal(name, new FullStorage())
    const page = show()
    fireEvent.change(await screen.findByLabelText(/^text/), { target: { value: 'mine' } })
    expect(JSON.parse(page.input().body)).toEqual({ text: 'mine', times: 3 })
    open('Examples')
    save('a name')
    expect(screen.getByText(/storage is full/)).toBeTruthy()
  })

  it('does not change the given input', () => {
    const page = show({ first: { ...EMPTY_INPUT, body: '{"text": "given"}' } })
    expect(page.input().body).toBe('{"text": "given"}')
  })

  it('formats and minifies the text, and shows its size', async () => {
    const page = show({ first: { ...EMPTY_INPUT, body: '{"text":"é","n":1e400}' } })
    open('JSON')
    fireEvent.click(await screen.findByRole('button', { name: 'Format' }))
    expect(page.input().body).toBe('{\n  "text": "é",\n  "n": 1e400\n}')
    fireEvent.click(screen.getByRole('button', { name: 'Minify' }))
    expect(page.input().body).toBe('{"text":"é","n":1e400}')
    expect(screen.getByText('23 B')).toBeTruthy()
  })

  it('shows syntax errors', async () => {
    show({ first: { ...EMPTY_INPUT, body: '{"text":' } })
    open('JSON')
    expect(await screen.findByText('expected a value, found the end')).toBeTruthy()
  })

  it('accepts any JSON without a schema, and shows how to add one', () => {
    const page = show({ schema: null, first: { ...EMPTY_INPUT, body: '[1]' } })
    expect(screen.getByText(/createAgent\('a'/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Format' }))
    expect(page.input().body).toBe('[\n  1\n]')
  })

  it('shows issues of the server until the input is edited', async () => {
    const first = { ...EMPTY_INPUT, body: '{"text":"x"}' }
    show({ first, issues: [{ pointer: '/text', message: 'is taken' }] })
    expect(screen.getByText('is taken', { selector: 'p' })).toBeTruthy()
    fireEvent.change(await screen.findByLabelText(/^text/), { target: { value: 'y' } })
    expect(screen.queryByText('is taken')).toBeNull()
  })
})

describe('InputEditor examples', () => {
  it('include the examples of the schema', async () => {
    const page = show()
    open('Examples')
    fireEvent.click(await screen.findByRole('button', { name: /^Example/ }))
    expect(JSON.parse(page.input().body)).toEqual({ text: 'from the schema' })
    expect(screen.getByRole('tab', { name: 'Form' }).getAttribute('aria-selected')).toBe('true')
  })

  it('can be saved with a name, and deleted', async () => {
    const page = show({ first: { ...EMPTY_INPUT, body: '{"text":"kept"}', headers: [['a', 'b']] } })
    open('Examples')
    save('mine')
    page.leave()
    const again = show()
    open('Examples')
    fireEvent.click(screen.getByRole('button', { name: /^mine/ }))
    expect(again.input()).toEqual({ ...EMPTY_INPUT, body: '{"text":"kept"}', headers: [['a', 'b']] })
    open('Examples')
    fireEvent.click(screen.getByRole('button', { name: 'Remove mine' }))
    expect(screen.queryByRole('button', { name: /^mine/ })).toBeNull()
  })

  it('include the inputs of earlier runs', async () => {
    const page = show()
    open('Examples')
    fireEvent.click(await screen.findByRole('button', { name: /curl/ }))
    await waitFor(() => expect(page.input().body).toBe('{"text":"ran"}'))
  })
})

describe('InputEditor headers', () => {
  it('can be added and removed, and show an error if a header cannot be sent', () => {
    const page = show({ first: { ...EMPTY_INPUT, body: '{}' } })
    open('Headers')
    fireEvent.click(screen.getByRole('button', { name: '+ header' }))
    type('Name of header 1', 'Cookie')
    expect(screen.getByText(/set by the browser/)).toBeTruthy()
    type('Name of header 1', 'x y')
    expect(screen.getByText(/letters, digits/)).toBeTruthy()
    type('Name of header 1', 'x-tenant')
    type('Value of header 1', 'a\u2603')
    expect(screen.getByText(/not allowed in headers/)).toBeTruthy()
    type('Value of header 1', 'a')
    expect(page.input().headers).toEqual([['x-tenant', 'a']])
    fireEvent.click(screen.getByRole('button', { name: 'Remove x-tenant' }))
    expect(page.input().headers).toEqual([])
  })
})

interface Given {
  readonly route?: string
  readonly schema?: JsonSchema | null
  readonly first?: CallInput
  readonly issues?: readonly FieldIssue[]
}

function show({ route = 'POST /agent/a', schema = SCHEMA, first = EMPTY_INPUT, issues = [] }: Given = {}): {
  input: () => CallInput
  leave: () => void
} {
  let now = first
  function Page(): ReactNode {
    const [value, setValue] = useState(first)
    now = value
    return <InputEditor route={route} schema={schema} value={value} onChange={setValue} issues={issues} />
  }
  const client = createHttpClient({ baseUrl: 'http://localhost', retry: false, fetch: mockFetch })
  const { unmount } = render(
    <SdkProvider client={client}>
      <Page />
    </SdkProvider>,
  )
  return { input: () => now, leave: unmount }
}

/** The workbench API, mocked at the network. */
function mockFetch(input: string | URL | Request): Promise<Response> {
  const { pathname } = new URL(input instanceof Request ? input.url : input)
  const body = { text: '{"text":"ran"}', bytes: 14, isCut: false }
  return Promise.resolve(
    Response.json(
      pathname.endsWith('/runs')
        ? { runs: [RUN], hasMore: false, callers: [], total: 1 }
        : { ...RUN, request: { headers: [], body } },
    ),
  )
}

/** A storage that is always full. */
class FullStorage {
  getItem(): null {
    return null
  }

  setItem(): never {
    throw new DOMException('full', 'QuotaExceededError')
  }
}

/** An event stream without events. */
class SilentEvents extends EventTarget {
  close(): void {}
}

function open(name: string): void {
  fireEvent.click(screen.getByRole('tab', { name: new RegExp(`^${name}`) }))
}

function save(name: string): void {
  type('Name of this input', name)
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
}

function type(label: string, value: string): void {
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
}
