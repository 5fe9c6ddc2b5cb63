// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Settings } from '../../api.ts'
import { editor } from '../components/editor.ts'
import { startTestBench, type PageRequest } from '../runs/page.test.fixture.tsx'
import { toNames } from './recording-form.tsx'
import { SettingsPage } from './settings-page.tsx'

const bench = startTestBench()
let stored: unknown

beforeEach(() => {
  localStorage.clear()
  stored = { maxRuns: 500, maxBytes: 200_000_000, redact: ['iban'], isRecording: true }
  bench.handlers['GET /_workbench/api/settings'] = () => stored
  bench.handlers['PUT /_workbench/api/settings'] = ({ body }: PageRequest) => {
    stored = body
    return { ...(body as Settings), fault: null }
  }
})

describe('SettingsPage', () => {
  it('stores theme and editor in the browser', () => {
    bench.open('/settings', <SettingsPage />)
    fireEvent.click(screen.getByRole('radio', { name: 'Dark' }))
    expect(document.documentElement.dataset['theme']).toBe('dark')
    expect(localStorage.getItem('theme')).toBe('dark')
    fireEvent.change(screen.getByLabelText('Editor'), { target: { value: 'zed' } })
    expect(editor.snapshot()).toBe('zed')
    fireEvent.click(screen.getByRole('radio', { name: 'Light' }))
    expect(document.documentElement.dataset['theme']).toBe('light')
  })

  it('saves the recording settings only after a change', async () => {
    bench.open('/settings', <SettingsPage />)
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Saved' })
    expect(button.disabled).toBe(true)
    fireEvent.change(screen.getByLabelText('Runs to keep'), { target: { value: '50' } })
    fireEvent.change(screen.getByLabelText('Storage limit (MB)'), { target: { value: '20' } })
    fireEvent.change(screen.getByLabelText('Names to hide'), { target: { value: 'iban, x-internal' } })
    fireEvent.click(screen.getByLabelText('Record calls'))
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    const next = { maxRuns: 50, maxBytes: 20_000_000, redact: ['iban', 'x-internal'], isRecording: false }
    await waitFor(() => expect(stored).toEqual(next))
    expect(await screen.findByRole('button', { name: 'Saved' })).toBeTruthy()
  })

  it('warns that settings which could not be written are temporary', async () => {
    const save = bench.handlers['PUT /_workbench/api/settings']
    bench.handlers['PUT /_workbench/api/settings'] = (call) => ({ ...(save?.(call) as Settings), fault: 'no disk' })
    bench.open('/settings', <SettingsPage />)
    fireEvent.click(await screen.findByLabelText('Record calls'))
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    const notice = await screen.findByRole('alert')
    expect(notice.textContent).toBe('These settings apply only until sdk dev stops: no disk.')
    expect(await screen.findByRole('button', { name: 'Saved' })).toBeTruthy()
  })

  it('shows instructions if the settings cannot be read', async () => {
    const envelope = { error: { code: 'UNAUTHORIZED', message: 'no', details: [] } }
    bench.handlers['GET /_workbench/api/settings'] = () => Response.json(envelope, { status: 401 })
    bench.open('/settings', <SettingsPage />)
    expect(await screen.findByText(/Open the link that sdk dev printed/)).toBeTruthy()
  })
})

describe('toNames', () => {
  it('parses names separated by commas and spaces, without duplicates', () => {
    expect(toNames(' iban, x-a x-b,,iban ')).toEqual(['iban', 'x-a', 'x-b'])
    expect(toNames('')).toEqual([])
  })
})
