/** The output of a component of the page. */
export interface Seen {
  readonly status: string
  /** For a long list, only its length and its last item. */
  readonly data: unknown
  readonly code: string | null
  readonly isLoading: boolean
  readonly isFetching: boolean
  readonly isStreaming: boolean
  readonly chunks: number
  readonly items: readonly unknown[]
  readonly hasMore: boolean
}

/** A component of the page, with one hook. */
export interface Component {
  readonly name: string
  readonly route: string
  /** @default 'useAPI' */
  readonly hook?: 'useAPI' | 'usePages'
  readonly options?: object
  /** The payload that its button sends. */
  readonly payload?: unknown
  /** The GET route whose list is updated optimistically. */
  readonly optimistic?: string
}

/** Returns a component for `METHOD /api/at/:name`, by `METHOD name`. */
export function at(name: string, target: string, options: object = {}): Component {
  const [method, place] = target.split(' ')
  return { name, route: `${method} /api/at/:name`, options: { params: { name: place }, ...options } }
}

/** The functions that the page exposes to tests, as `window.hooks`. */
export interface Hooks {
  /** Shows exactly these components; existing ones are kept. */
  show(components: readonly Component[], baseUrl?: string): void
  see(name: string): Seen
  /** Returns everything that a component has shown, in order. */
  history(name: string): Seen[]
  /** Returns the number of renders of a component. */
  commits(name: string): number
  /** Renders a component again a number of times. */
  render(name: string, times: number): void
  /** Clicks its button, which sends its payload and ignores the promise. */
  click(name: string): void
  /** Calls a function that its hook returned, even after it was unmounted. */
  call(name: string, method: string, ...input: unknown[]): void
  /** Returns the results of the promises of such calls. */
  outcomes(name: string): unknown[]
  /** Returns the arguments of `onChunk`. */
  received(name: string): unknown[]
  /** Returns the number of calls of `onSuccess` and `onError`. */
  callbacks(name: string): { readonly success: number; readonly error: number }
  /** Returns the warnings and errors of the console, and uncaught errors. */
  faults(): string[]
}

declare global {
  interface Window {
    readonly hooks: Hooks
  }
}

/** React in StrictMode, and components that show the results of their hook. */
const PAGE = `
import { StrictMode, useEffect, useRef, useState } from 'react'
import { SdkProvider, useAPI, usePages } from '@sdk/react'

/** The recorded events of each component, by name. */
const records = new Map()

export function recordOf(name) {
  const made = { shown: [], received: [], outcomes: [], callbacks: { success: 0, error: 0 } }
  const record = records.get(name) ?? made
  records.set(name, record)
  return record
}

export function Page({ components, baseUrl }) {
  return (
    <StrictMode>
      <SdkProvider baseUrl={baseUrl}>
        {components.map((props) =>
          props.hook === 'usePages' ? <Walker key={props.name} {...props} /> : <Caller key={props.name} {...props} />,
        )}
      </SdkProvider>
    </StrictMode>
  )
}

function Caller({ name, route, options = {}, payload, optimistic }) {
  const record = useRecord(name)
  const api = useAPI(route, {
    // New objects at each render, as with inline options.
    ...structuredClone(options),
    onChunk: (chunk) => void record.received.push(chunk),
    onSuccess: () => record.callbacks.success++,
    onError: () => record.callbacks.error++,
    ...(optimistic && { optimistic: (cache, item) => cache.update(optimistic, (old) => [...old, item]) }),
  })
  return <Shown name={name} result={api} onClick={() => { api.invoke(payload) }} />
}

function Walker({ name, route, options }) {
  useRecord(name)
  const pages = usePages(route, structuredClone(options))
  return <Shown name={name} result={pages} onClick={pages.fetchNext} />
}

function useRecord(name) {
  const [, setTurn] = useState(0)
  const record = recordOf(name)
  record.render = () => setTurn((turn) => turn + 1)
  return record
}

function Shown({ name, result, onClick }) {
  const output = useRef(null)
  useEffect(() => {
    const record = recordOf(name)
    record.shown.push(output.current.textContent)
    record.result = result
  })
  const { status, data, error, isLoading, isFetching, isStreaming, chunks, items, hasMore } = result
  const seen = { status, data: toShort(data), code: error?.code ?? null, isLoading, isFetching, isStreaming, chunks, items, hasMore }
  return (
    <section id={name}>
      <output ref={output}>{JSON.stringify(seen)}</output>
      <button onClick={onClick}>Go</button>
    </section>
  )
}

function toShort(data) {
  return Array.isArray(data) && data.length > 100 ? { count: data.length, last: data.at(-1) } : data
}
`

const BROWSER = `
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { Page, recordOf } from 'page.tsx'

const faults = []
for (const level of ['warn', 'error']) console[level] = (...parts) => faults.push(parts.map(String).join(' '))
addEventListener('error', ({ message }) => faults.push(message))
addEventListener('unhandledrejection', ({ reason }) => faults.push('unhandled: ' + reason))

const element = document.getElementById('root')
const made = element.dataset.components
const root = made ? hydrateRoot(element, <Page components={JSON.parse(made)} />) : createRoot(element)

window.hooks = {
  show: (components, baseUrl) => flushSync(() => root.render(<Page components={components} baseUrl={baseUrl} />)),
  see: (name) => JSON.parse(document.querySelector('#' + name + ' output').textContent),
  history: (name) => recordOf(name).shown.map((text) => JSON.parse(text)),
  commits: (name) => recordOf(name).shown.length,
  render(name, times) {
    for (let turn = 0; turn < times; turn++) flushSync(recordOf(name).render)
  },
  click: (name) => document.querySelector('#' + name + ' button').click(),
  call(name, method, ...input) {
    const { result, outcomes } = recordOf(name)
    Promise.resolve(result[method](...input)).then(
      (value) => outcomes.push(value),
      (error) => outcomes.push({ failed: error.name === 'ApiError' ? error.code : error.name }),
    )
  },
  outcomes: (name) => recordOf(name).outcomes,
  received: (name) => recordOf(name).received,
  callbacks: (name) => recordOf(name).callbacks,
  faults: () => faults,
}
`

const SERVER = `
import { renderToString } from 'react-dom/server'
import { Page } from 'page.tsx'

export const render = (components) => renderToString(<Page components={components} />)
`

/** The page in a browser. */
export const IN_BROWSER: Readonly<Record<string, string>> = { 'browser.tsx': BROWSER, 'page.tsx': PAGE }

/** The page as a server renders it: `render(components)`. */
export const ON_SERVER: Readonly<Record<string, string>> = { 'server.tsx': SERVER, 'page.tsx': PAGE }
