import { hasChromium } from '@sdk/test-kit'
import { describe } from 'vitest'
import { floodsAreCheap } from './client/floods.ts'
import { listsAreWalkedAndEdited } from './client/lists.ts'
import { networksAreMet } from './client/network.ts'
import { requestsAreFew } from './client/requests.ts'
import { setStage } from './client/stage.ts'
import { stopsReachTheServer } from './client/stops.ts'
import { streamsAreShown } from './client/streams.ts'

describe.skipIf(!hasChromium())('the hooks in a browser', () => {
  describe('with React 19', () => {
    const stage = setStage('19')
    requestsAreFew(stage)
    stopsReachTheServer(stage)
    streamsAreShown(stage)
    listsAreWalkedAndEdited(stage)
    networksAreMet(stage)
    floodsAreCheap(stage)
  })

  describe('with React 18', () => {
    const stage = setStage('18')
    requestsAreFew(stage)
    stopsReachTheServer(stage)
    streamsAreShown(stage)
    listsAreWalkedAndEdited(stage)
  })
})
