import type { ElementHandle, Page } from "playwright-core";

/** How the user presses a control: with a finger or with the keyboard. */
export type Way = "finger" | "keyboard";

const overlays = "[role=dialog]:not(.panel), [role=menu]";

/** Milliseconds after which what a press was to do counts as missing: far more than a busy machine takes. */
const patience = 45_000;

/**
 * Presses controls one after the other, by the beginning of their names ("Acts on To do > Edit column…"), or keys ("key
 * n"; "at j" where only the focus moves), checks every overlay that opens, and closes the last one. Returns the faults
 * found.
 */
export async function walk(page: Page, way: Way, path: string): Promise<string[]> {
  const faults: string[] = [];
  let opener: ElementHandle | undefined;
  for (const name of path.split(" > ")) {
    const [, kind, key = ""] = /^(key|at) (.+)/.exec(name) ?? [];
    if (kind === "at") {
      const before = await focused(page);
      await page.keyboard.press(key);
      await isFocused(before, false);
      continue;
    }
    const before = await overlayOf(page);
    if (kind === "key") {
      opener ??= await focused(page);
      await page.keyboard.press(key);
    } else {
      const control = await controlNamed(page, name, before !== undefined);
      if (!control) throw new Error(`there is no “${name}” to press`);
      // A control in an overlay disappears with the overlay: the focus returns to what opened the first overlay.
      opener ??= control;
      await press(page, control, way);
    }
    const opened = await overlayOf(page, before, patience);
    if (!opened) return [...faults, `${name}: nothing with the focus inside opened`];
    faults.push(...(await faultsIn(page)).map((fault) => `${name}: ${fault}`));
  }
  await dismissed(page, way);
  const back = opener && (await isFocused(opener, true));
  if (!back) faults.push(`closing gives the focus to ${await nameOfFocused(page)}`);
  return faults;
}

/** A finger presses the button that closes the overlay if there is one; otherwise Escape closes it. */
async function dismissed(page: Page, way: Way) {
  const top = page.locator(".layer, .backdrop").last();
  const closes = top.getByRole("button", { name: /^(Close|Cancel|Keep)/ });
  if (way === "finger" && (await closes.count()) > 0) await closes.first().tap();
  else await page.keyboard.press("Escape");
}

/**
 * The first visible control whose name begins like this, in the topmost overlay or else on the page, once there is one.
 * Playwright's own search by name works out the names of all elements of the page, which takes longer than all the rest
 * of a walk.
 */
async function controlNamed(page: Page, name: string, inOverlay: boolean): Promise<ElementHandle | null> {
  const found = await page.evaluateHandle(`(async () => {
    const textOf = (node) => node.nodeType === Node.TEXT_NODE ? node.data
      : node.nodeType !== Node.ELEMENT_NODE || node.matches("[aria-hidden=true], [hidden]") ? ""
      : node.getAttribute("aria-label") ?? [...node.childNodes].map(textOf).join("");
    const find = () => {
      const within = ${inOverlay} ? [...document.querySelectorAll(${JSON.stringify(overlays)})].at(-1) : document.body;
      return [...within?.querySelectorAll("button, a[href], [role=menuitem], [role=option], [role=tab]") ?? []]
        .find((control) => control.checkVisibility({ visibilityProperty: true }) &&
          textOf(control).replace(/\\s/g, "").startsWith(${JSON.stringify(name.replace(/\s/g, ""))}));
    };
    return find() ?? new Promise((done) => {
      const end = (control) => {
        watching.disconnect();
        done(control);
      };
      const watching = new MutationObserver(() => {
        const control = find();
        if (control) end(control);
      });
      watching.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      setTimeout(end, ${patience}, null);
    });
  })()`);
  return found.asElement();
}

async function press(page: Page, control: ElementHandle, way: Way) {
  if (way === "finger") return control.tap();
  // A list has the focus itself, and arrow keys move through its options.
  if ((await control.getAttribute("role")) === "option") {
    while ((await control.getAttribute("data-at")) === null) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    return;
  }
  await control.focus();
  await page.keyboard.press("Enter");
}

/** The overlay that has the focus, once it is another one than the overlay before; every opened one has its number. */
function overlayOf(page: Page, before?: { id: number }, milliseconds = 0) {
  // The page looks whenever the focus moves: a question from here again and again would cost both processes more.
  return page.evaluate<{ id: number } | undefined>(`new Promise((done) => {
    const end = (overlay) => {
      removeEventListener("focusin", look);
      done(overlay);
    };
    const look = () => {
      const found = document.activeElement?.closest(${JSON.stringify(overlays)});
      if (!found) return;
      window.overlayIds ??= new WeakMap();
      if (!window.overlayIds.has(found)) window.overlayIds.set(found, (window.overlayCount = (window.overlayCount ?? 0) + 1));
      const id = window.overlayIds.get(found);
      if (id !== ${before?.id}) end({ id });
    };
    addEventListener("focusin", look);
    setTimeout(end, ${milliseconds});
    look();
  })`);
}

/** Whether the element has the focus, or has it no more. */
function isFocused(element: ElementHandle, wanted: boolean): Promise<boolean> {
  return element.evaluate(
    (one, [wanted, milliseconds]) =>
      new Promise<boolean>((done) => {
        const end = (value: boolean) => {
          removeEventListener("focusin", look);
          done(value);
        };
        const look = () => {
          if ((one.ownerDocument.activeElement === one) === wanted) end(true);
        };
        addEventListener("focusin", look);
        setTimeout(end, milliseconds, false);
        look();
      }),
    [wanted, patience] as const,
  );
}

function focused(page: Page): Promise<ElementHandle> {
  return page.evaluateHandle("document.activeElement") as Promise<ElementHandle>;
}

function nameOfFocused(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement.outerHTML.slice(0, 120)");
}

/**
 * Waits until the overlay has stopped moving, then checks that it is inside the window, on top, and that all its
 * controls can be reached.
 */
function faultsIn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(async () => {
    const box = document.activeElement.closest(${JSON.stringify(overlays)});
    await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const faults = [];
    const nameOf = (element) => (element?.getAttribute?.("aria-label") || element?.textContent || element?.outerHTML || "nothing").trim().slice(0, 40);
    const outside = (element, what) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      if (left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5)
        faults.push(what + " is outside: " + [left, top, right, bottom].map(Math.round).join(" "));
    };
    const covered = (element, what, x, y) => {
      const there = document.elementFromPoint(x, y);
      if (!element.contains(there) && !there?.contains(element) || (there?.contains(element) && !box.contains(there)))
        faults.push(what + " is under " + (there ? there.tagName + "." + there.className : "nothing"));
    };
    outside(box, "the box");
    const { left, top, right, bottom } = box.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    for (const [name, at] of Object.entries({ centre: [x, y], left: [left + 3, y], right: [right - 3, y], top: [x, top + 3], bottom: [x, bottom - 3] })) {
      covered(box, "its " + name, ...at);
    }
    for (const control of box.querySelectorAll("button, a[href], input:not([type=hidden], .sr-only), select, textarea, [role=option]")) {
      if (!control.checkVisibility() || control.closest("[hidden]")) continue;
      control.scrollIntoView({ block: "nearest" });
      outside(control, nameOf(control));
      const place = control.getBoundingClientRect();
      covered(control, nameOf(control), (place.left + place.right) / 2, (place.top + place.bottom) / 2);
    }
    if (box.scrollWidth > box.clientWidth + 1) faults.push("it scrolls to the side");
    document.activeElement.scrollIntoView({ block: "nearest" });
    return faults;
  })()`);
}
