// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { AppFrame } from '../frame.tsx'
import { startTestBench } from '../../runs/page.test.fixture.tsx'
import { createList } from '../../runs/run.test.fixture.ts'

const bench = startTestBench()

const MANIFEST = {
  project: 'bench',
  root: '/bench',
  branch: 'main',
  revision: 1,
  isReloading: false,
  canAdd: false,
  testRunner: 'vitest',
  problems: [],
  routes: [
    { route: 'POST /agent/echo', kind: 'agent', description: 'Says it again' },
    { route: '/ws/chat', kind: 'socket', description: undefined },
  ],
} as const

const ANSWER = { manifest: MANIFEST, error: null }

function openPalette(): HTMLElement {
  fireEvent.keyDown(document.body, { key: 'k', metaKey: true })
  return screen.getByRole('combobox')
}

function type(text: string): void {
  fireEvent.change(screen.getByRole('combobox'), { target: { value: text } })
}

function chosen(): string | null | undefined {
  const id = screen.getByRole('combobox').getAttribute('aria-activedescendant') ?? ''
  return document.getElementById(id)?.textContent
}

describe('the command palette', () => {
  beforeEach(() => {
    localStorage.clear()
    bench.handlers['GET /_workbench/api/runs'] = () => createList([7])
    bench.handlers['GET /_workbench/api/users'] = () => ({ hasAuth: false, users: [] })
  })

  it('opens with ⌘K and navigates to a result', () => {
    bench.open('/', <AppFrame answer={ANSWER}>a page</AppFrame>)
    openPalette()
    type('ech')
    expect(chosen()).toContain('echo')
    fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter' })
    expect(location.pathname).toBe('/_workbench/agents/echo')
    expect(screen.queryByRole('combobox')).toBeNull()
  })

  it('moves through the results with the arrow keys and wraps around', () => {
    bench.open('/', <AppFrame answer={ANSWER}>a page</AppFrame>)
    const field = openPalette()
    type('run')
    const first = chosen()
    fireEvent.keyDown(field, { key: 'ArrowDown' })
    expect(chosen()).not.toBe(first)
    fireEvent.keyDown(field, { key: 'ArrowUp' })
    fireEvent.keyDown(field, { key: 'ArrowUp' })
    expect(chosen()).toBe(screen.getAllByRole('option').at(-1)?.textContent)
  })

  it('lists recent runs and executes commands', async () => {
    bench.open('/', <AppFrame answer={ANSWER}>a page</AppFrame>)
    openPalette()
    await waitFor(() =>
      expect(screen.getAllByRole('option').map((option) => option.textContent)).toContainEqual(
        expect.stringContaining('200 at'),
      ),
    )
    type('toggle theme')
    fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter' })
    const theme = document.documentElement.dataset['theme']
    expect(['light', 'dark']).toContain(theme)
    openPalette()
    type('toggle theme')
    fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter' })
    expect(document.documentElement.dataset['theme']).toBe(theme === 'light' ? 'dark' : 'light')
  })

  it('requires confirmation before it clears the runs', async () => {
    bench.handlers['DELETE /_workbench/api/runs'] = () => ({ deleted: 3 })
    bench.open('/', <AppFrame answer={ANSWER}>a page</AppFrame>)
    openPalette()
    type('clear runs')
    fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter' })
    expect(bench.requests.some(({ route }) => route.startsWith('DELETE'))).toBe(false)
    fireEvent.click(await screen.findByRole('button', { name: 'Clear runs' }))
    expect(await screen.findByText('3 runs cleared')).toBeTruthy()
  })

  it('shows a message if there are no results', () => {
    bench.open('/', <AppFrame answer={ANSWER}>a page</AppFrame>)
    openPalette()
    type('qqq')
    expect(screen.queryByRole('option')).toBeNull()
    expect(screen.getByText('No results for “qqq”')).toBeTruthy()
  })
})
