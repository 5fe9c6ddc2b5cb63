import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { useAPI } from '@sdk/react'
import { compileFile, temporaryFolder } from '@sdk/test-kit'
import { beforeEach, expect, it } from 'vitest'
import { act, goTo, Public, renderHook, waitFor } from './page.ts'
import type { Apps, Section } from './section.ts'

const wrapper = Public

/** Section 2.3. */
export const section2_3: Section = {
  number: '2.3',
  title: 'result of useAPI',
  tests(apps) {
    beforeEach(() => goTo(apps.open.url))
    testAll(apps)
    testMutations(apps)
    testQueries(apps)
    testInput()
  },
}

function testAll(apps: Apps): void {
  it('2.3 data is the latest payload', async () => {
    const { result } = renderHook(() => useAPI('POST /agent/echo'), { wrapper })
    expect(result.current.data).toBeUndefined()
    await act(() => result.current.invoke('first'))
    expect(result.current.data).toMatchObject({ input: 'first' })
    await act(() => result.current.invoke('second'))
    expect(result.current.data).toMatchObject({ input: 'second' })
  })

  it('2.3 data has the type of the route', async () => {
    expect(
      await compile(
        `const { data } = useAPI('GET /api/status'); export const status: string | undefined = data?.status`,
      ),
    ).toBe('')
    expect(
      await compile(
        `const { data } = useAPI('GET /api/status'); export const status: number | undefined = data?.status`,
      ),
    ).toContain(`Type 'string' is not assignable to type 'number'`)
  })

  it('2.3 isLoading is true during a request, isSuccess after it', async () => {
    const release = apps.open.hold()
    const { result } = renderHook(() => [useAPI('GET /api/slow'), useAPI('POST /agent/slow')] as const, { wrapper })
    act(() => void result.current[1].invoke({}))
    for (const call of result.current)
      expect(call).toMatchObject({ isLoading: true, isSuccess: false, isError: false, error: null })
    release()
    for (const n of [0, 1] as const)
      await waitFor(() =>
        expect(result.current[n]).toMatchObject({ isLoading: false, isSuccess: true, data: { waited: true } }),
      )
  })

  it('2.3 isError is true after a failure, and error has a message', async () => {
    const { result } = renderHook(() => [useAPI('GET /api/nowhere'), useAPI('POST /agent/refuse')] as const, {
      wrapper,
    })
    act(() => void result.current[1].invoke({}))
    for (const n of [0, 1] as const)
      await waitFor(() =>
        expect(result.current[n]).toMatchObject({ isError: true, isSuccess: false, isLoading: false }),
      )
    expect(result.current[0].error?.message).toContain('/api/nowhere')
    expect(result.current[1].error?.message).toBe('that was said already')
  })
}

function testMutations(apps: Apps): void {
  it('2.3 a POST route sends no request before invoke', async () => {
    const before = apps.open.requests.length
    const { result } = renderHook(() => [useAPI('POST /agent/echo'), useAPI('GET /api/tenant')] as const, { wrapper })
    await waitFor(() => expect(result.current[1].isSuccess).toBe(true))
    expect(result.current[0]).toMatchObject({ isLoading: false, isSuccess: false, isError: false, data: undefined })
    expect(apps.open.requests.slice(before)).toEqual(['GET /api/tenant'])
  })

  it('2.3 POST routes have invoke and reset, GET routes have isFetching and refetch', () => {
    const { result } = renderHook(() => [useAPI('POST /agent/echo'), useAPI('GET /api/tenant')] as const, { wrapper })
    const ofOne = ['invoke', 'reset', 'isFetching', 'refetch']
    const [call, query] = result.current.map((one) => ofOne.filter((name) => name in one))
    expect([call, query]).toEqual([ofOne.slice(0, 2), ofOne.slice(2)])
  })

  it.each([{ text: 'a', list: [1, null] }, ['b'], 'c', 0, false, null])(
    '2.3 invoke sends its argument as the JSON payload: %j',
    async (payload) => {
      const { result } = renderHook(() => useAPI('POST /agent/echo'), { wrapper })
      await act(() => result.current.invoke(payload))
      expect(result.current.data).toMatchObject({ input: payload, contentType: 'application/json' })
    },
  )

  it('2.3 reset clears the state after a success and after a failure', async () => {
    const { result } = renderHook(() => [useAPI('POST /agent/echo'), useAPI('POST /agent/refuse')] as const, {
      wrapper,
    })
    await act(() => result.current[0].invoke({}))
    await act(() => result.current[1].invoke({}).catch(() => {}))
    expect([result.current[0].isSuccess, result.current[1].isError]).toEqual([true, true])
    act(() => {
      for (const call of result.current) call.reset()
    })
    const cleared = { data: undefined, error: null, isSuccess: false, isError: false, isLoading: false }
    expect(result.current).toMatchObject([cleared, cleared])
  })

  it('2.3 reset ignores the result of a running request', async () => {
    const release = apps.open.hold()
    const { result } = renderHook(() => useAPI('POST /agent/slow'), { wrapper })
    let running: Promise<unknown> = Promise.resolve()
    act(() => void (running = result.current.invoke({})))
    act(() => result.current.reset())
    release()
    await act(() => running)
    expect(result.current).toMatchObject({ data: undefined, isSuccess: false, isLoading: false })
  })
}

function testQueries(apps: Apps): void {
  it('2.3 isFetching is true during refetch', async () => {
    const { result } = renderHook(() => useAPI('GET /api/slow'), { wrapper })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    expect(result.current.isFetching).toBe(false)
    const release = apps.open.hold()
    act(() => void result.current.refetch())
    await waitFor(() => expect(result.current.isFetching).toBe(true))
    expect(result.current).toMatchObject({ isSuccess: true, isLoading: false, data: { waited: true } })
    release()
    await waitFor(() => expect(result.current.isFetching).toBe(false))
  })

  it('2.3 refetch resolves with the new data', async () => {
    const { result } = renderHook(() => useAPI('GET /api/visits'), { wrapper })
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    const { visits } = result.current.data as { visits: number }
    expect(await act(() => result.current.refetch())).toEqual({ visits: visits + 1 })
    await waitFor(() => expect(result.current.data).toEqual({ visits: visits + 1 }))
  })
}

function testInput(): void {
  it('2.3 useAPI accepts a route string, or an object with the route', async () => {
    const { result } = renderHook(() => [useAPI('GET /api/tenant'), useAPI({ route: 'GET /api/tenant' })] as const, {
      wrapper,
    })
    for (const n of [0, 1] as const) await waitFor(() => expect(result.current[n].data).toEqual({ tenant: null }))
  })

  it('2.3 headers are sent with the request', async () => {
    const headers = { 'x-tenant': 'blue' }
    const { result } = renderHook(
      () => [useAPI({ route: 'GET /api/tenant', headers }), useAPI({ route: 'POST /agent/echo', headers })] as const,
      { wrapper },
    )
    await waitFor(() => expect(result.current[0].data).toEqual({ tenant: 'blue' }))
    await act(() => result.current[1].invoke({}))
    expect(result.current[1].data).toMatchObject({ tenant: 'blue' })
  })

  it('2.3 onChunk is called for each chunk of a stream', async () => {
    const chunks: unknown[] = []
    const onChunk = (chunk: unknown): unknown => chunks.push(chunk)
    const { result } = renderHook(
      () => [useAPI('POST /agent/count', { onChunk }), useAPI('GET /api/lines', { onChunk })] as const,
      { wrapper },
    )
    await waitFor(() => expect(result.current[1].isFetching).toBe(false))
    expect(chunks.splice(0)).toEqual([{ n: 1 }, { n: 2 }])
    await act(() => result.current[0].invoke(3))
    expect(chunks).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('2.3 delimiter separates the chunks, as a second argument or in the object', async () => {
    const chunks: unknown[] = []
    const options = { delimiter: '|', onChunk: (chunk: unknown): unknown => chunks.push(chunk) }
    const { result } = renderHook(
      () => [useAPI('POST /agent/recite', options), useAPI({ route: 'POST /agent/recite', ...options })] as const,
      { wrapper },
    )
    for (const n of [0, 1] as const) {
      await act(() => result.current[n].invoke({}))
      expect(chunks.splice(0)).toEqual(['one', 'two', 'three'])
    }
  })
}

/** Returns the compiler errors of code in an app with a route. */
function compile(code: string): Promise<string> {
  const { path } = temporaryFolder('spec')
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(path, 'node_modules'))
  writeFileSync(join(path, 'package.json'), '{ "type": "module" }')
  const file = join(path, 'app.ts')
  writeFileSync(
    file,
    `import { useAPI } from '@sdk/react'
import { createApp, createRouter, type RoutesOf } from '@sdk/server'
const app = createApp({ router: createRouter().on('GET /api/status', () => ({ status: 'ok' })) })
declare module '@sdk/protocol' {
  interface Routes extends RoutesOf<typeof app> {}
}
${code}
`,
  )
  return compileFile(pathToFileURL(file))
}
