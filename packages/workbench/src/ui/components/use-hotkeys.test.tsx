// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useHotkeys, type Hotkeys } from './use-hotkeys.ts'

const pressed: string[] = []
beforeEach(() => void (pressed.length = 0))
afterEach(cleanup)

function Page({ keys, children }: { keys: readonly string[]; children?: ReactNode }): ReactNode {
  const hotkeys: Hotkeys = Object.fromEntries(keys.map((key) => [key, () => pressed.push(key)]))
  useHotkeys(hotkeys)
  return children
}

function press(...keys: string[]): void {
  for (const key of keys) fireEvent.keyDown(document.body, { key })
}

describe('useHotkeys', () => {
  it('handles single keys, chords with ⌘ or Ctrl, and sequences', () => {
    render(<Page keys={['j', '?', 'g h', 'mod+k']} />)
    press('j', '?', 'g', 'h')
    fireEvent.keyDown(document.body, { key: 'k', metaKey: true })
    fireEvent.keyDown(document.body, { key: 'K', ctrlKey: true })
    expect(pressed).toEqual(['j', '?', 'g h', 'mod+k', 'mod+k'])
  })

  it('does not handle the second key of a sequence as a single key', () => {
    render(<Page keys={['g r', 'r']} />)
    press('g', 'r', 'r')
    expect(pressed).toEqual(['g r', 'r'])
    press('g', 'x', 'r')
    expect(pressed).toEqual(['g r', 'r', 'r'])
  })

  it('ignores typing in fields, but not chords and Escape', () => {
    render(
      <Page keys={['j', 'mod+Enter', 'Escape']}>
        <textarea aria-label="text" />
      </Page>,
    )
    const field = screen.getByLabelText('text')
    fireEvent.keyDown(field, { key: 'j' })
    expect(pressed).toEqual([])
    fireEvent.keyDown(field, { key: 'Enter', metaKey: true })
    fireEvent.keyDown(field, { key: 'Escape' })
    expect(pressed).toEqual(['mod+Enter', 'Escape'])
  })

  it('ignores keys while a dialog is open and keys that are already handled', () => {
    render(
      <Page keys={['j']}>
        <dialog open>asks</dialog>
      </Page>,
    )
    press('j')
    cleanup()
    render(
      <Page keys={['j']}>
        <button type="button" onKeyDown={(event) => event.preventDefault()}>
          own
        </button>
      </Page>,
    )
    fireEvent.keyDown(screen.getByText('own'), { key: 'j' })
    expect(pressed).toEqual([])
  })

  it('accepts only keys in the list of shortcuts', () => {
    // @ts-expect-error -- `q` is not in the list, so users could not find it
    const unknown: Hotkeys = { q: () => {} }
    expect(Object.keys(unknown)).toEqual(['q'])
  })

  it('calls the handler of the component that was mounted last', () => {
    const Both = ({ hasInner }: { hasInner: boolean }): ReactNode => (
      <>
        <Page keys={['j', 'k']} />
        {hasInner && <Inner />}
      </>
    )
    const Inner = (): ReactNode => {
      useHotkeys({ j: () => pressed.push('inner j') })
      return null
    }
    const { rerender } = render(<Both hasInner={false} />)
    rerender(<Both hasInner />)
    press('j', 'k')
    rerender(<Both hasInner={false} />)
    press('j')
    expect(pressed).toEqual(['inner j', 'k', 'j'])
  })
})
