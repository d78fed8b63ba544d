# setting: for figures, the value of a key in a setting such as "connections=240,payload_b=1000"; "" where it has none.
in_setting(setting, key) = (setting_rest = "," . setting . ",", setting_place = strstrt(setting_rest, "," . key . "="), setting_place ? until_comma(setting_rest[setting_place + strlen(key) + 2 : *]) : "")
until_comma(text) = text[1 : strstrt(text, ",") - 1]
