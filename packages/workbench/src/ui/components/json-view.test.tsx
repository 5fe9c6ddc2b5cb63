// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { JsonView } from './json-view.tsx'

afterEach(cleanup)

function lines(): string[] {
  return screen.getAllByRole('treeitem').map((line) => line.textContent)
}

function press(...keys: string[]): void {
  for (const key of keys) fireEvent.keyDown(document.activeElement ?? document.body, { key })
}

const VALUE = { title: 'Tea', tags: ['hot', 'green'], deep: { a: { b: { c: 1 } } } }

describe('JsonView', () => {
  it('renders a tree with one focusable row', () => {
    render(<JsonView label="Output" value={VALUE} />)
    expect(screen.getByRole('tree', { name: 'Output' })).toBeTruthy()
    expect(lines().slice(0, 4)).toEqual(['{3}', 'title:"Tea"', 'tags:[2]', '0:"hot"'])
    expect(screen.getAllByRole('treeitem').filter((line) => line.tabIndex === 0)).toHaveLength(1)
  })

  it('moves the focus and expands and collapses rows with the keyboard', () => {
    render(<JsonView label="Output" value={VALUE} />)
    screen.getAllByRole('treeitem')[0]?.focus()
    press('ArrowDown', 'ArrowDown')
    expect(document.activeElement?.textContent).toBe('tags:[2]')
    press('ArrowRight')
    expect(document.activeElement?.textContent).toBe('0:"hot"')
    press('ArrowLeft', 'ArrowLeft')
    expect(document.activeElement?.textContent).toBe('tags:[2]')
    expect(document.activeElement?.getAttribute('aria-expanded')).toBe('false')
    expect(lines()).not.toContain('0:"hot"')
    press('Enter', 'End')
    expect(lines()).toContain('0:"hot"')
    expect(document.activeElement).toBe(screen.getAllByRole('treeitem').at(-1))
  })

  it('copies the selected value and its path', async () => {
    const copied: string[] = []
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } })
    render(<JsonView label="Output" value={VALUE} />)
    fireEvent.click(screen.getByText('"green"'))
    fireEvent.click(screen.getByRole('button', { name: 'Copy value' }))
    fireEvent.click(screen.getByRole('button', { name: 'Copy path' }))
    await waitFor(() => expect(screen.getAllByText('Copied')).toHaveLength(2))
    expect(copied).toEqual(['green', 'tags[1]'])
  })

  it('loads more of a long list, and truncates long texts until they are selected', () => {
    const long = 'x'.repeat(1000)
    render(<JsonView label="Output" value={[long, ...Array.from({ length: 300 }, (_, index) => index)]} />)
    expect(screen.getByText(/^"x+…$/).textContent.length).toBeLessThan(500)
    fireEvent.click(screen.getByText(/^"x+…$/))
    expect(screen.getByText(/^"x+"$/).textContent).toBe(JSON.stringify(long))
    fireEvent.click(screen.getByText('201 more'))
    expect(screen.getByText('101 more')).toBeTruthy()
  })
})
