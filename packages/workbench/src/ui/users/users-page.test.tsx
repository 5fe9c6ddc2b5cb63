// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { identity } from '../data/identity.ts'
import { toasts } from '../components/toast.ts'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { UsersPage } from './users-page.tsx'

const bench = startTestBench()
const PEOPLE = ['Ada', 'Bob'].map((name) => ({
  id: name.toLowerCase(),
  name,
  email: `${name.toLowerCase()}@example.com`,
  createdAt: '2026-01-01T00:00:00.000Z',
}))

beforeEach(() => {
  act(() => identity.use({ kind: 'anonymous' }))
  bench.handlers['GET /_workbench/api/users'] = ({ query }) => {
    const search = query.get('search') ?? ''
    return { hasAuth: true, users: PEOPLE.filter(({ email }) => email.includes(search)) }
  }
  bench.handlers['POST /_workbench/api/sessions'] = ({ body }) => {
    const { userId } = body as { userId: string }
    return { user: PEOPLE.find(({ id }) => id === userId), token: `token-of-${userId}`, expiresAt: '' }
  }
})

describe('UsersPage', () => {
  it('makes calls as a user with a session, and marks the active user', async () => {
    bench.open('/users', <UsersPage />)
    fireEvent.click(await screen.findByRole('button', { name: 'Act as Ada' }))
    const row = await screen.findByRole('row', { name: /Ada.*active/ })
    expect(within(row).getByRole('link').getAttribute('href')).toBe('/_workbench/runs?identity=ada%40example.com')
    expect(identity.snapshot()).toMatchObject({ kind: 'user', token: 'token-of-ada', user: { id: 'ada' } })
    expect(screen.getByRole('region', { name: 'Calls are made as' }).textContent).toContain('Ada')
    expect(screen.getByRole('button', { name: 'Copy curl header' })).toBeDefined()
    expect(within(row).queryByRole('button')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Use Anonymous' }))
    expect(identity.snapshot().kind).toBe('anonymous')
  })

  it('ends a session, and shows an error if that fails', async () => {
    const envelope = { error: { code: 'SERVICE_UNAVAILABLE', message: 'no database', details: [] } }
    bench.handlers['POST /_workbench/api/sessions/end'] = () => Response.json(envelope, { status: 503 })
    bench.open('/users', <UsersPage />)
    fireEvent.click(await screen.findByRole('button', { name: 'Act as Ada' }))
    fireEvent.click(await screen.findByRole('button', { name: 'End session' }))
    await waitFor(() =>
      expect(toasts.snapshot().map(({ text }) => text)).toContainEqual(
        expect.stringMatching(/Cannot end.*no database/),
      ),
    )
    expect(identity.snapshot().kind).toBe('user')
    bench.handlers['POST /_workbench/api/sessions/end'] = () => ({ ended: true })
    fireEvent.click(screen.getByRole('button', { name: 'End session' }))
    await waitFor(() => expect(identity.snapshot().kind).toBe('anonymous'))
    const ended = bench.requests.filter(({ route }) => route === 'POST /_workbench/api/sessions/end')
    expect(ended.map(({ body }) => body)).toEqual([{ token: 'token-of-ada' }, { token: 'token-of-ada' }])
  })

  it('searches users', async () => {
    bench.open('/users', <UsersPage />)
    await screen.findByText('bob@example.com')
    fireEvent.change(screen.getByLabelText('Search users'), { target: { value: ' ada ' } })
    await waitFor(() => expect(screen.queryByText('bob@example.com')).toBeNull())
    fireEvent.change(screen.getByLabelText('Search users'), { target: { value: 'nobody' } })
    expect(await screen.findByText('No users match nobody')).toBeDefined()
  })

  it('shows how to add users to an app without auth', async () => {
    bench.handlers['GET /_workbench/api/users'] = () => ({ hasAuth: false, users: [] })
    bench.open('/users', <UsersPage />)
    expect(await screen.findByText(/createSessionMiddleware\(auth/)).toBeDefined()
    expect(screen.queryByRole('button', { name: 'New test user' })).toBeNull()
  })

  it('shows an error if the users cannot be loaded', async () => {
    bench.handlers['GET /_workbench/api/users'] = () =>
      Response.json({ error: { code: 'INTERNAL', message: 'no database', details: [] } }, { status: 500 })
    bench.open('/users', <UsersPage />)
    expect(await screen.findByText('Cannot load users: no database')).toBeDefined()
  })
})
