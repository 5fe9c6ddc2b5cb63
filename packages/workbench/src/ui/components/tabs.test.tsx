// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState, type ReactNode } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { Tabs } from './tabs.tsx'

afterEach(cleanup)

function Result(): ReactNode {
  const [selected, select] = useState<'Output' | 'Stream' | 'Logs'>('Output')
  const tabs = [
    { name: 'Output', view: 'an output' },
    { name: 'Stream', view: 'a stream', count: 12 },
    { name: 'Logs', view: 'some logs', count: 0 },
  ] as const
  return <Tabs label="Result" tabs={tabs} selected={selected} onSelect={select} />
}

function press(key: string): void {
  fireEvent.keyDown(document.activeElement ?? document.body, { key })
}

describe('Tabs', () => {
  it('shows the selected view with its tab as the label', () => {
    render(<Result />)
    expect(screen.getByRole('tabpanel', { name: 'Output' }).textContent).toBe('an output')
    fireEvent.click(screen.getByRole('tab', { name: /Stream/ }))
    expect(screen.getByRole('tabpanel').textContent).toBe('a stream')
  })

  it('shows counts above zero', () => {
    render(<Result />)
    expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Output', 'Stream12', 'Logs'])
  })

  it('selects tabs with the arrow keys, Home and End, and makes only the selected tab focusable', () => {
    render(<Result />)
    screen.getByRole('tab', { name: 'Output' }).focus()
    press('ArrowLeft')
    expect(document.activeElement?.textContent).toBe('Logs')
    press('ArrowRight')
    expect(document.activeElement?.textContent).toBe('Output')
    press('End')
    expect(screen.getByRole('tabpanel').textContent).toBe('some logs')
    press('Home')
    expect(screen.getByRole('tabpanel').textContent).toBe('an output')
    expect(screen.getAllByRole('tab').map((tab) => tab.tabIndex)).toEqual([0, -1, -1])
  })
})
