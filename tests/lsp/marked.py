"""Sources of five languages in which definitions and usages are marked by hand.

`⟦name⟧` is a definition and `⟨name⟩` a usage; the marks are no part of the files.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

_MARK: Final = re.compile(r"⟦([^⟧]+)⟧|⟨([^⟩]+)⟩")

TREE: Final = {
    "py/bank.py": '''"""Accounts."""

⟦INTEREST_RATE⟧ = 0.02


class ⟦Account⟧:
    """Holds money."""

    def ⟦deposit_cash⟧(self, amount):
        self.balance = ⟨rounded_sum⟩(amount)

    def ⟦close_account⟧(self):
        ⟨audit_log⟩("closed")


class ⟦SavingsAccount⟧(⟨Account⟩):
    def ⟦add_interest⟧(self):
        self.⟨deposit_cash⟩(self.balance * ⟨INTEREST_RATE⟩)


def ⟦rounded_sum⟧(amount):
    return round(amount, 2)


def ⟦audit_log⟧(text):
    print(text)


async def ⟦fetch_balance⟧(account):
    return account.balance


def ⟦open_account⟧():
    return ⟨SavingsAccount⟩()
''',
    "py/teller.py": """from py.bank import ⟨INTEREST_RATE⟩, ⟨Account⟩
from py.bank import ⟨fetch_balance⟩, ⟨open_account⟩


async def serve(account: ⟨Account⟩):
    account.⟨deposit_cash⟩(1)
    await ⟨fetch_balance⟩(account)
    account = ⟨open_account⟩()
    account.⟨add_interest⟩()
    account.⟨close_account⟩()
    return ⟨INTEREST_RATE⟩
""",
    "go/queue.go": """package queue

const ⟦MaxDepth⟧ = 8

type ⟦Ticket⟧ struct {
	Number int
}

type ⟦Dispatcher⟧ interface {
	⟦DispatchOne⟧(ticket ⟨Ticket⟩) error
}

func ⟦NewTicket⟧(number int) ⟨Ticket⟩ {
	return ⟨Ticket⟩{Number: number}
}

func (t ⟨Ticket⟩) ⟦IsUrgent⟧() bool {
	return t.Number < ⟨MaxDepth⟩
}

func ⟦DrainAll⟧(tickets []⟨Ticket⟩) {
	for _, each := range tickets {
		⟨archiveTicket⟩(each)
	}
}

func ⟦archiveTicket⟧(ticket ⟨Ticket⟩) {}

var ⟦defaultQueue⟧ = []⟨Ticket⟩{}

type ⟦TicketFilter⟧ func(⟨Ticket⟩) bool

func ⟦countTickets⟧(filter ⟨TicketFilter⟩) int {
	return len(⟨defaultQueue⟩)
}
""",
    "go/main.go": """package queue

func run(d ⟨Dispatcher⟩) {
	ticket := ⟨NewTicket⟩(1)
	if ticket.⟨IsUrgent⟩() {
		d.⟨DispatchOne⟩(ticket)
	}
	⟨DrainAll⟩(⟨defaultQueue⟩)
	⟨countTickets⟩(nil)
}
""",
    "ts/cart.ts": """export const ⟦SHIPPING_FEE⟧ = 5;

export interface ⟦LineItem⟧ {
  price: number;
}

export type ⟦Discount⟧ = (total: number) => number;

export enum ⟦OrderState⟧ {
  Open,
}

export class ⟦ShoppingCart⟧ {
  items: ⟨LineItem⟩[] = [];

  ⟦addLine⟧(item: ⟨LineItem⟩): void {
    this.items.push(item);
  }

  ⟦computeTotal⟧(discount: ⟨Discount⟩): number {
    return discount(⟨sumPrices⟩(this.items)) + ⟨SHIPPING_FEE⟩;
  }
}

export function ⟦sumPrices⟧(items: ⟨LineItem⟩[]): number {
  return items.length;
}

export const ⟦halfPrice⟧: ⟨Discount⟩ = (total) => total / 2;

export function ⟦emptyCart⟧(): ⟨ShoppingCart⟩ {
  return new ⟨ShoppingCart⟩();
}
""",
    "ts/shop.ts": """import { ⟨OrderState⟩, ⟨emptyCart⟩, ⟨halfPrice⟩ } from "./cart";

export function checkout(): ⟨OrderState⟩ {
  const cart = ⟨emptyCart⟩();
  cart.⟨addLine⟩({ price: 1 });
  cart.⟨computeTotal⟩(⟨halfPrice⟩);
  return ⟨OrderState⟩.Open;
}
""",
    "rs/engine.rs": """pub const ⟦MAX_SPEED⟧: u32 = 90;

pub struct ⟦Engine⟧ {
    speed: u32,
}

pub enum ⟦Gear⟧ {
    First,
}

pub trait ⟦Vehicle⟧ {
    fn ⟦accelerate⟧(&mut self, gear: ⟨Gear⟩);
}

pub fn ⟦build_engine⟧() -> ⟨Engine⟩ {
    ⟨Engine⟩ { speed: ⟨clamp_speed⟩(0) }
}

pub fn ⟦clamp_speed⟧(speed: u32) -> u32 {
    speed.min(⟨MAX_SPEED⟩)
}

pub type ⟦EngineList⟧ = Vec<⟨Engine⟩>;

pub static ⟦SPARE_PARTS⟧: u32 = 3;

pub fn ⟦repair_all⟧(engines: ⟨EngineList⟩) -> u32 {
    ⟨SPARE_PARTS⟩
}
""",
    "rs/garage.rs": """use crate::engine::{⟨build_engine⟩, ⟨repair_all⟩, ⟨Gear⟩, ⟨Vehicle⟩};

fn drive(vehicle: &mut dyn ⟨Vehicle⟩) {
    vehicle.⟨accelerate⟩(⟨Gear⟩::First);
    ⟨repair_all⟩(vec![⟨build_engine⟩()]);
}
""",
    "java/Mailer.java": """package mail;

interface ⟦MailSender⟧ {
    void ⟦sendMail⟧(⟨Envelope⟩ envelope);
}

enum ⟦Urgency⟧ { LOW, HIGH }

class ⟦Envelope⟧ {
    final ⟨Urgency⟩ urgency = ⟨Urgency⟩.LOW;

    boolean ⟦isPressing⟧() {
        return urgency == ⟨Urgency⟩.HIGH;
    }
}

class ⟦PostOffice⟧ {
    static final int ⟦RETRY_LIMIT⟧ = 3;

    void ⟦deliverAll⟧(⟨MailSender⟩ sender) {
        sender.⟨sendMail⟩(⟨sampleEnvelope⟩());
    }

    static ⟨Envelope⟩ ⟦sampleEnvelope⟧() {
        return null;
    }

    static int ⟦remainingTries⟧(int used) {
        return ⟨RETRY_LIMIT⟩ - used;
    }

    static void ⟦logDelivery⟧(⟨Envelope⟩ envelope) {}
}
""",
    "java/Station.java": """package mail;

class Station {
    void work(⟨PostOffice⟩ office, ⟨MailSender⟩ sender) {
        office.⟨deliverAll⟩(sender);
        ⟨PostOffice⟩.⟨logDelivery⟩(⟨PostOffice⟩.⟨sampleEnvelope⟩());
        if (⟨PostOffice⟩.⟨remainingTries⟩(1) > 0) {
            ⟨PostOffice⟩.⟨sampleEnvelope⟩().⟨isPressing⟩();
        }
    }
}
""",
}
WIDE: Final = {
    "odd/wide.py": "\ufeffdef wide_name(): pass\r\n\x0c\r\nx = '\U0001f600é'; wide_name()\r\n"
}
"""A byte order mark, CR LF, a form feed, and characters of two and four bytes."""
BOXES: Final = {
    "py/boxes.py": """class Vault:
    def seal(self):
        pass


class Crate:
    def seal(self):
        pass


def close():
    Vault().seal()
    Crate().seal()
"""
}
"""Two types with a member of the same name."""
LISP: Final = {
    "scm/text.scm": '(define (string->list text) text)\n(define (use) (string->list "a"))\n'
}
"""A name that other languages would cut."""
OTHER: Final = {
    "lib/branch.py": "from py.bank import ⟨Account⟩\n\n\ndef branch():\n    return ⟨Account⟩()\n"
}


class Spot(NamedTuple):
    """A marked name: its file, its line and its first column, both from 0."""

    path: str
    line: int
    column: int


class Marks:
    """The marked names of a tree: where each is defined, and where it is used."""

    def __init__(self, tree: Mapping[str, str]) -> None:
        self.defined: dict[str, Spot] = {}
        self.used: dict[str, set[Spot]] = {}
        for path, text in tree.items():
            for number, line in enumerate(text.split("\n")):
                for at, match in enumerate(_MARK.finditer(line)):
                    spot = Spot(path, number, match.start() - 2 * at)
                    if match[1]:
                        self.defined[match[1]] = spot
                    else:
                        self.used.setdefault(match[2], set()).add(spot)


def unmarked(tree: Mapping[str, str]) -> dict[str, str]:
    return {path: re.sub("[⟦⟧⟨⟩]", "", text) for path, text in tree.items()}
