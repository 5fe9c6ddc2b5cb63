import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'

/** An item in a menu. */
export interface MenuItem {
  readonly name: string
  readonly hint?: string | undefined
  /** Whether the item is the current choice. Omitted for actions. */
  readonly isChecked?: boolean
  readonly onSelect: () => void
}

/** A group of menu items. */
export interface MenuSection {
  readonly title?: string
  readonly items: readonly MenuItem[]
}

interface MenuProps {
  /** The content of the button. `label` is its name for screen readers. */
  readonly button: ReactNode
  readonly label: string
  readonly sections: readonly MenuSection[]
  /** @default 'button' */
  readonly className?: string
  readonly onOpen?: () => void
}

/** A button that opens a menu. Arrow keys, Home, End and first letters move through its items, and Escape closes it. */
export function Menu({ button, label, sections, className = 'button', onOpen }: MenuProps): ReactNode {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)

  function toggle(): void {
    const box = opener.current?.getBoundingClientRect()
    if (box === undefined || list.current === null) return
    if (!isOpen) onOpen?.()
    place(list.current, box)
    list.current.togglePopover()
  }

  return (
    <>
      <button
        ref={opener}
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={toggle}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          toggle()
        }}
      >
        {button}
      </button>
      <div
        ref={list}
        id={id}
        className="menu"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        popover="auto"
        onToggle={(event) => {
          setOpen(event.newState === 'open')
          if (event.newState === 'open') focusFirst(event.currentTarget)
        }}
        onKeyDown={onKeyDown}
      >
        {sections.map((section, index) => (
          <Section key={section.title ?? index} section={section} onDone={() => list.current?.hidePopover()} />
        ))}
      </div>
    </>
  )
}

function Section({ section: { title, items }, onDone }: { section: MenuSection; onDone: () => void }): ReactNode {
  return (
    <div className="menu-section" role="group" aria-label={title}>
      {title !== undefined && (
        <span className="menu-title hint" role="presentation">
          {title}
        </span>
      )}
      {items.map(({ name, hint, isChecked, onSelect }) => (
        <button
          key={`${name} ${hint}`}
          type="button"
          role={isChecked === undefined ? 'menuitem' : 'menuitemradio'}
          aria-checked={isChecked}
          tabIndex={-1}
          onClick={() => {
            onDone()
            onSelect()
          }}
        >
          <span className="cut">{name}</span>
          {hint !== undefined && <span className="cut quiet small">{hint}</span>}
        </button>
      ))}
    </div>
  )
}

function place(list: HTMLElement, { left, right, bottom }: DOMRect): void {
  const isLeft = left < innerWidth / 2
  list.style.top = `${bottom + 4}px`
  list.style.left = isLeft ? `${Math.max(8, left)}px` : 'auto'
  list.style.right = isLeft ? 'auto' : `${Math.max(8, innerWidth - right)}px`
}

function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
  const items = menuItems(event.currentTarget)
  const at = items.findIndex((item) => item === document.activeElement)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key]
  const letter = event.key.length === 1 && !event.metaKey && !event.ctrlKey ? event.key.toLowerCase() : null
  if (next === undefined && letter === null) return
  event.preventDefault()
  event.stopPropagation()
  const ahead = [...items.slice(at + 1), ...items.slice(0, at + 1)]
  const startsWith = (item: HTMLElement, text: string): boolean =>
    item.textContent.trim().toLowerCase().startsWith(text)
  const target = next === undefined ? ahead.find((item) => startsWith(item, letter ?? '')) : items[next % items.length]
  target?.focus()
}

function focusFirst(menu: HTMLElement): void {
  const items = menuItems(menu)
  const held = items.find((item) => item.getAttribute('aria-checked') === 'true')
  ;(held ?? items[0])?.focus()
}

function menuItems(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')]
}
