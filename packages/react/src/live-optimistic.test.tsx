// @vitest-environment happy-dom
import { ApiError, type Page } from '@sdk/protocol'
import { act, renderHook, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { begin, createGate, respond } from './app.test.fixture.tsx'
import { LIST, startLiveTasks, titles, type Task } from './live-tasks.test.fixture.tsx'
import { useAPI } from './use-api.ts'

const live = startLiveTasks()

describe('optimistic changes of live data', () => {
  const useForm = () => ({
    list: useAPI(LIST, { live: true }),
    ...useAPI('PATCH /tasks/:id', {
      invalidates: [LIST],
      optimistic: (cache, input, options) =>
        cache.update(LIST, (old) => {
          const { data, ...rest } = old as Page<Task>
          const change = (task: Task): Task =>
            task.id === options?.params?.['id'] ? { ...task, ...(input as object) } : task
          return { ...rest, data: data.map(change) }
        }),
    }),
  })

  it('are kept until the live data contains them', async () => {
    const seen: unknown[] = []
    const { result } = renderHook(
      () => {
        const form = useForm()
        seen.push(titles(form.list.data)?.[0])
        return form
      },
      { wrapper: live.Live },
    )
    await waitFor(() => expect(result.current.list.isLive).toBe(true))
    const gate = createGate()
    live.app.routes['PATCH /tasks/1'] = (request, response) =>
      gate.opened.then(() => respond(200, {})(request, response))
    live.app.requests = []
    live.server.answersSyncs = false
    const call = begin(() => result.current.invoke({ title: 'mine' }, { params: { id: 1 } }))
    await waitFor(() => expect(titles(result.current.list.data)?.[0]).toBe('mine'))
    live.commit(() => (live.tasks[1] = { id: 2, title: 'theirs' }))
    await waitFor(() => expect(titles(result.current.list.data)).toEqual(['mine', 'theirs', 'task 3']))
    live.tasks[0] = { id: 1, title: 'mine' }
    gate.open()
    await act(() => call)
    // The response has arrived, but the live data does not contain the change yet.
    await waitFor(() => expect(live.server.requests.at(-1)).toHaveProperty('sync'))
    expect(titles(result.current.list.data)?.[0]).toBe('mine')
    live.tasks[0] = { id: 1, title: 'mine, and changed by the server' }
    act(() => live.server.answer())
    await waitFor(() => expect(titles(result.current.list.data)?.[0]).toBe('mine, and changed by the server'))
    const first = seen.indexOf('mine')
    expect(seen.slice(first)).not.toContain('task 1')
    expect(live.app.requests).toEqual(['PATCH /tasks/1'])
  })

  describe('that add rows', () => {
    const useNew = (seen: string[][]) => {
      const list = useAPI(LIST, { live: true })
      seen.push(titles(list.data) ?? [])
      const add = useAPI('POST /tasks', {
        optimistic: (cache, input) =>
          cache.update(LIST, (old) => {
            const { data, ...rest } = old as Page<Task>
            return { ...rest, data: [...data, { id: -data.length, ...(input as { title: string }) }] }
          }),
      })
      return { list, add }
    }

    it('are shown once, even if the live data arrives before the response', async () => {
      const seen: string[][] = []
      const { result } = renderHook(() => useNew(seen), { wrapper: live.Live })
      await waitFor(() => expect(result.current.list.isLive).toBe(true))
      const gates = [createGate(), createGate()]
      let calls = 0
      live.app.routes['POST /tasks'] = (request, response) =>
        gates[calls++]?.opened.then(() => respond(201, {})(request, response))
      const first = begin(() => result.current.add.invoke({ title: 'first' }))
      const second = begin(() => result.current.add.invoke({ title: 'second' }))
      await waitFor(() => expect(calls).toBe(2))
      live.commit(() => live.tasks.push({ id: 4, title: 'first' }, { id: 5, title: 'second' }))
      gates[0]?.open()
      await act(() => first)
      await waitFor(() => expect(live.server.requests.at(-1)).toHaveProperty('sync'))
      gates[1]?.open()
      await act(() => second)
      const ids = (): number[] | undefined => (result.current.list.data as Page<Task>).data.map(({ id }) => id)
      await waitFor(() => expect(ids()).toEqual([1, 2, 3, 4, 5]))
      const counts = seen.map((shown) => shown.filter((title) => title === 'first').length)
      expect(counts.lastIndexOf(0)).toBeLessThan(counts.indexOf(1))
      expect(Math.max(...counts)).toBe(1)
      expect(Math.max(...seen.map((shown) => shown.filter((title) => title === 'second').length))).toBe(1)
    })

    it('are shown once, however late the response is, while changes of other rows are shown', async () => {
      const seen: string[][] = []
      const { result } = renderHook(() => useNew(seen), { wrapper: live.Live })
      await waitFor(() => expect(result.current.list.isLive).toBe(true))
      const gate = createGate()
      live.app.routes['POST /tasks'] = (request, response) =>
        gate.opened.then(() => respond(201, {})(request, response))
      const call = begin(() => result.current.add.invoke({ title: 'mine' }))
      await waitFor(() => expect(titles(result.current.list.data)).toContain('mine'))
      live.commit(() => live.tasks.splice(0, 2, { id: 1, title: 'theirs' }))
      live.commit(() => live.tasks.push({ id: 4, title: 'mine' }))
      live.commit(() => (live.tasks[1] = { id: 3, title: 'theirs, too' }))
      await waitFor(() => expect(titles(result.current.list.data)).toEqual(['theirs', 'theirs, too', 'mine']), {
        timeout: 3000,
      })
      gate.open()
      await act(() => call)
      const ids = (): number[] | undefined => (result.current.list.data as Page<Task>).data.map(({ id }) => id)
      await waitFor(() => expect(ids()).toEqual([1, 3, 4]))
      const counts = seen.map((shown) => shown.filter((title) => title === 'mine').length)
      expect(counts.slice(counts.indexOf(1))).not.toContain(0)
      expect(Math.max(...counts)).toBe(1)
    })

    it('do not hold newer data when the request fails', async () => {
      const { result } = renderHook(() => useNew([]), { wrapper: live.Live })
      await waitFor(() => expect(result.current.list.isLive).toBe(true))
      const gate = createGate()
      live.app.routes['POST /tasks'] = (request, response) =>
        gate.opened.then(() => respond(409, {})(request, response))
      const call = begin(() => result.current.add.invoke({ title: 'mine' }))
      await waitFor(() => expect(titles(result.current.list.data)).toContain('mine'))
      live.commit(() => (live.tasks[0] = { id: 1, title: 'theirs' }))
      gate.open()
      await act(async () => expect(call).rejects.toMatchObject({ status: 409 }))
      await waitFor(() => expect(titles(result.current.list.data)).toEqual(['theirs', 'task 2', 'task 3']), {
        timeout: 500,
      })
    })
  })

  it('that depend on the old value are not applied twice', async () => {
    const seen: unknown[] = []
    const { result } = renderHook(
      () => {
        const list = useAPI(LIST, { live: true })
        seen.push(titles(list.data)?.[0])
        const { invoke } = useAPI('PATCH /tasks/:id', {
          optimistic: (cache) =>
            cache.update(LIST, (old) => {
              const { data, ...rest } = old as Page<Task>
              return { ...rest, data: data.map((task, index) => (index ? task : { ...task, title: `${task.title}!` })) }
            }),
        })
        return { list, invoke }
      },
      { wrapper: live.Live },
    )
    await waitFor(() => expect(result.current.list.isLive).toBe(true))
    const gate = createGate()
    live.app.routes['PATCH /tasks/1'] = (request, response) =>
      gate.opened.then(() => respond(200, {})(request, response))
    const call = begin(() => result.current.invoke({}, { params: { id: 1 } }))
    await waitFor(() => expect(seen).toContain('task 1!'))
    live.commit(() => live.tasks.splice(0, 2, { id: 1, title: 'task 1!' }, { id: 2, title: 'theirs' }))
    await waitFor(() => expect(titles(result.current.list.data)).toContain('theirs'), { timeout: 3000 })
    gate.open()
    await act(() => call)
    await waitFor(() => expect(live.server.requests.at(-1)).toHaveProperty('sync'))
    expect(new Set(seen)).toEqual(new Set([undefined, 'task 1', 'task 1!']))
  })

  it('requests fresh data over the connection for invalidated routes', async () => {
    const { result } = renderHook(
      () => ({ list: useAPI(LIST, { live: true }), ...useAPI('POST /labels', { invalidates: [LIST] }) }),
      { wrapper: live.Live },
    )
    await waitFor(() => expect(result.current.list.isLive).toBe(true))
    live.app.requests = []
    for (const title of ['one', 'two']) {
      // The server is not notified of this change.
      live.app.routes['POST /labels'] = (request, response) => {
        live.tasks = [{ id: 1, title }]
        return respond(200, {})(request, response)
      }
      await act(() => result.current.invoke({}))
      await waitFor(() => expect(titles(result.current.list.data)).toEqual([title]))
    }
    expect(live.app.requests).toEqual(['POST /labels', 'POST /labels'])
    expect(live.server.requests.filter((request) => 'sync' in request)).toHaveLength(2)
  })

  it('are kept if the connection is lost before the echo', async () => {
    const { result } = renderHook(useForm, { wrapper: live.Live })
    await waitFor(() => expect(result.current.list.isLive).toBe(true))
    live.app.routes['PATCH /tasks/1'] = respond(200, {})
    live.server.answersSyncs = false
    await act(() => result.current.invoke({ title: 'mine' }, { params: { id: 1 } }))
    await waitFor(() => expect(live.server.requests.at(-1)).toHaveProperty('sync'))
    act(() => live.server.cut())
    expect(titles(result.current.list.data)?.[0]).toBe('mine')
    live.tasks[0] = { id: 1, title: 'echo' }
    live.server.answersSyncs = true
    await waitFor(() => expect(titles(result.current.list.data)?.[0]).toBe('echo'), { timeout: 3000 })
  })

  it('are rolled back if the request fails', async () => {
    const { result } = renderHook(useForm, { wrapper: live.Live })
    await waitFor(() => expect(result.current.list.isLive).toBe(true))
    const gate = createGate()
    live.app.routes['PATCH /tasks/1'] = (request, response) =>
      gate.opened.then(() => respond(409, {})(request, response))
    const call = begin(() => result.current.invoke({ title: 'mine' }, { params: { id: 1 } }))
    await waitFor(() => expect(titles(result.current.list.data)?.[0]).toBe('mine'))
    live.commit(() => (live.tasks[0] = { id: 1, title: 'theirs' }))
    gate.open()
    await act(async () => expect(call).rejects.toMatchObject({ status: 409 }))
    await waitFor(() => expect(titles(result.current.list.data)?.[0]).toBe('theirs'))
  })

  it('do not restore data that was removed', async () => {
    const { result } = renderHook(useForm, { wrapper: live.Live })
    await waitFor(() => expect(result.current.list.isLive).toBe(true))
    const gate = createGate()
    live.app.routes[LIST] = respond(403, {})
    live.app.routes['PATCH /tasks/1'] = (request, response) =>
      gate.opened.then(() => respond(403, {})(request, response))
    const call = begin(() => result.current.invoke({ title: 'mine' }, { params: { id: 1 } }))
    await waitFor(() => expect(titles(result.current.list.data)?.[0]).toBe('mine'))
    live.commit(() => (live.refusal = new ApiError('FORBIDDEN', 'not yours')))
    await waitFor(() => expect(result.current.list.data).toBe(undefined))
    gate.open()
    await act(async () => expect(call).rejects.toMatchObject({ status: 403 }))
    expect(result.current.list.data).toBe(undefined)
  })
})
