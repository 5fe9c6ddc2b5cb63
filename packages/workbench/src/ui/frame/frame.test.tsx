// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { identity } from '../data/identity.ts'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { AppFrame } from './frame.tsx'

const bench = startTestBench()
const ADA = { id: 'u1', name: 'Ada', email: 'ada@example.com', createdAt: '2026-01-01T00:00:00Z' }

const MANIFEST = {
  project: 'bench',
  root: '/bench',
  branch: 'main',
  revision: 1,
  isReloading: false,
  canAdd: false,
  testRunner: 'vitest',
  problems: [],
  routes: [{ route: 'POST /agent/echo', kind: 'agent', description: undefined }],
} as const

const ANSWER = { manifest: MANIFEST, error: null }

beforeEach(() => {
  // happy-dom has no popovers; browser tests check that they open.
  Object.assign(HTMLElement.prototype, { hidePopover: () => {} })
  localStorage.clear()
  identity.use({ kind: 'anonymous' })
  bench.handlers['GET /_workbench/api/users'] = () => ({ hasAuth: true, users: [ADA] })
  bench.handlers['POST /_workbench/api/sessions'] = () => ({ user: ADA, token: 'secret', expiresAt: '' })
})

afterEach(() => {
  localStorage.clear()
  Reflect.deleteProperty(HTMLElement.prototype, 'hidePopover')
})

describe('AppFrame', () => {
  it('marks the current page, and navigates with keys', () => {
    bench.open('/runs/7', <AppFrame answer={ANSWER}>a page</AppFrame>)
    const current = (): string[] => screen.getAllByRole('link', { current: 'page' }).map((link) => link.textContent)
    expect(current()).toEqual(['Runs'])
    fireEvent.keyDown(document.body, { key: 'g' })
    fireEvent.keyDown(document.body, { key: 's' })
    expect(current()).toEqual(['Settings'])
    fireEvent.keyDown(document.body, { key: '?' })
    expect(screen.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeTruthy()
  })

  it('lists every shortcut of pages and runs', () => {
    bench.open('/', <AppFrame answer={ANSWER}>a page</AppFrame>)
    fireEvent.keyDown(document.body, { key: '?' })
    const dialog = screen.getByRole('dialog', { name: 'Keyboard shortcuts' })
    const listed = within(dialog)
      .getAllByRole('definition')
      .map(({ textContent }) => textContent)
    expect(listed).toEqual([
      'CtrlK',
      '?',
      'Ctrl⏎',
      'Esc',
      'j',
      'k',
      '⏎',
      'p',
      'x',
      'gh',
      'gr',
      'ge',
      'gl',
      'gt',
      'gc',
      'gm',
      'gu',
      'gs',
    ])
  })

  it('links to the comparison of two runs', () => {
    bench.open('/', <AppFrame answer={ANSWER}>a page</AppFrame>)
    expect(screen.getByRole('link', { name: 'Compare' }).getAttribute('href')).toBe('/_workbench/compare')
  })

  it('makes calls as the user selected in the menu', async () => {
    bench.open('/', <AppFrame answer={ANSWER}>a page</AppFrame>)
    const item = await screen.findByRole('menuitemradio', { name: /Ada/, hidden: true })
    fireEvent.click(item)
    await waitFor(() => expect(identity.snapshot()).toEqual({ kind: 'user', user: ADA, token: 'secret' }))
    expect(screen.getByRole('button', { name: 'Calls are made as: Ada' })).toBeTruthy()
  })

  it('shows an error if the session cannot be created', async () => {
    bench.handlers['POST /_workbench/api/sessions'] = () =>
      Response.json({ error: { code: 'NOT_FOUND', message: 'no such user', details: [] } }, { status: 404 })
    bench.open('/', <AppFrame answer={ANSWER}>a page</AppFrame>)
    fireEvent.click(await screen.findByRole('menuitemradio', { name: /Ada/, hidden: true }))
    expect(await screen.findByText(/Cannot act as this user.*no such user/)).toBeTruthy()
    expect(identity.snapshot().kind).toBe('anonymous')
  })

  it('shows log lines of the app and filters them by level', async () => {
    bench.open('/', <AppFrame answer={ANSWER}>a page</AppFrame>)
    const line = { time: 1, level: 'info', message: 'hello', fields: null, requestId: null } as const
    bench.emit('log', line)
    bench.emit('log', { ...line, level: 'error', message: 'broken' })
    const dock = screen.getByRole('region', { name: 'Logs' })
    await waitFor(() => expect(dock.textContent).toContain('Logs 2'))
    fireEvent.click(within(dock).getByRole('button', { name: /Logs/ }))
    expect(
      within(dock)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toHaveLength(2)
    fireEvent.change(within(dock).getByLabelText('Minimum level'), { target: { value: 'warn' } })
    expect(
      within(dock)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual([expect.stringContaining('broken')])
  })
})
